/// Key of a token for lookups in a list: a keyed digest of each attribute that an entry can name, and the time of
/// issue.
///
/// A value is represented by 64 bits of a digest. Without the secret nobody can choose a value with another's mark. By
/// chance, a token that is not denied has the mark of one of a million entries once in 10¹³ tokens.
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

    /// Zero: the token has no such value.
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

    /// Bytes of the form in which they are kept with what is known of a token.
    public static let byteCount = 48

    /// Appends six words, little-endian: `iat`, not a number without one, and the marks in the order of the attributes.
    public func append(to bytes: inout [UInt8]) {
        Self.append((issuedAt ?? .nan).bitPattern, to: &bytes)
        for attribute in DeniedAttribute.allCases { Self.append(self[attribute], to: &bytes) }
    }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word &>> UInt64(shift))) }
    }

    /// Offset of an attribute's mark in that form.
    public static func offset(of attribute: DeniedAttribute) -> Int { 8 &+ attribute.index &* 8 }
}
