/// Keyed digests of a token for lookups in a deny list: one for each attribute that entries can name, and the time of
/// issue.
///
/// A mark is 64 bits of a digest. Without the secret nobody can find a value with the same mark as another. By chance,
/// a token that is not denied has the same mark as one of a million entries once in 10¹³ tokens.
public struct DenyMarks: Sendable, Hashable {
    private var tokenID: UInt64 = 0
    private var subject: UInt64 = 0
    private var session: UInt64 = 0
    private var client: UInt64 = 0
    private var keyID: UInt64 = 0
    /// Value of `iat` in seconds. Nil if the token has none.
    public var issuedAt: Double?

    public init(issuedAt: Double? = nil) {
        self.issuedAt = issuedAt
    }

    /// Mark of an attribute. Zero if the token has no such value.
    public subscript(attribute: DeniedAttribute) -> UInt64 {
        get {
            switch attribute {
            case .tokenID: tokenID
            case .subject: subject
            case .session: session
            case .client: client
            case .keyID: keyID
            }
        }
        set {
            switch attribute {
            case .tokenID: tokenID = newValue
            case .subject: subject = newValue
            case .session: session = newValue
            case .client: client = newValue
            case .keyID: keyID = newValue
            }
        }
    }

    /// Size of the serialized marks in bytes, as stored with a cached token.
    public static let byteCount = 48

    /// Appends six little-endian words: `iat` (not-a-number if absent), and the marks in the order of the attributes.
    public func append(to bytes: inout [UInt8]) {
        Self.append((issuedAt ?? .nan).bitPattern, to: &bytes)
        for attribute in DeniedAttribute.allCases { Self.append(self[attribute], to: &bytes) }
    }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word &>> UInt64(shift))) }
    }

    /// Offset of an attribute's mark in the serialized form.
    public static func offset(of attribute: DeniedAttribute) -> Int { 8 &+ attribute.index &* 8 }
}
