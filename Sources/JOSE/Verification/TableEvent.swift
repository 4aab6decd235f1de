import PrecomputedECDSA

/// Event of ``KeyTables`` that an operator should know of.
public enum TableEvent: Sendable, Hashable {
    /// A curve has no tables, or they do not verify a known signature. None of its keys has one.
    case noTables(of: Curve, KeyTableFailure)
    /// A key has no table. Its `kid` is nil if it has none.
    case notBuilt(keyID: String?, curve: Curve, KeyTableFailure)
    /// A table's verdict differed from libcrypto's. No table is used any more.
    case differs(TableDifference)

    /// True if something was computed wrongly. False if a table can only not be had.
    public var meansFault: Bool {
        switch self {
        case .noTables(_, let failure), .notBuilt(_, _, let failure): failure == .wrong
        case .differs: true
        }
    }

    /// The `kid` of the key. Nil if it has none, and for an event of a curve.
    public var keyID: String? {
        switch self {
        case .noTables: nil
        case .notBuilt(let keyID, _, _): keyID
        case .differs(let difference): difference.keyID
        }
    }

    /// Text of the cause for people.
    public var cause: String {
        switch self {
        case .noTables(let curve, .wrong), .noTables(let curve, .notOnCurve):
            "a known signature of \(curve.rawValue) was judged wrongly, as with faulty memory"
        case .notBuilt(_, let curve, .notOnCurve): "its coordinates are no point of \(curve.rawValue)"
        case .noTables(let curve, .unsupported), .notBuilt(_, let curve, .unsupported):
            "libcrypto makes no tables of \(curve.rawValue), or there is no memory"
        case .notBuilt(_, _, .wrong): "its table was computed wrongly, as with faulty memory"
        case .differs(let difference): difference.cause
        }
    }
}

/// A signature on which a table and libcrypto disagreed.
public struct TableDifference: Sendable, Hashable {
    /// The `kid` of the key. Nil if it has none.
    public let keyID: String?
    /// SHA-256 thumbprint of the key (RFC 7638).
    public let thumbprint: [UInt8]
    /// True if the table took the signature for valid.
    public let wasAccepted: Bool

    /// Text of the difference for people.
    public var cause: String {
        wasAccepted
            ? "the table accepted a signature that libcrypto refuses"
            : "the table refused a signature that libcrypto accepts"
    }

    init(_ key: TabledKey, isValid: Bool) {
        (keyID, thumbprint, wasAccepted) = (key.keyID, key.thumbprint, isValid)
    }
}

/// State of ``KeyTables``.
public struct KeyTablesStatus: Sendable, Hashable {
    public let tables: Int
    /// Memory of the keys' tables. A curve's own table is not counted.
    public let bytes: Int
    /// Verifications by a table.
    public let verifications: UInt64
    /// Verifications by a table that libcrypto repeated.
    public let repetitions: UInt64
    /// The difference for which no table is used any more. Nil if there was none.
    public let difference: TableDifference?
}
