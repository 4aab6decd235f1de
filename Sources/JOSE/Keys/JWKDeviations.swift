/// Deviations of a published key from RFC 7517 and RFC 7518 that leave its value certain.
///
/// Accepted only from a key set. A key in a request would be read to the letter.
public struct JWKDeviations: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// `=` behind base64.
    public static let padding = JWKDeviations(rawValue: 1 << 0)
    /// `+` and `/` where base64url has `-` and `_`.
    public static let standardAlphabet = JWKDeviations(rawValue: 1 << 1)
    /// A coordinate of an elliptic curve without its leading zeros (RFC 7518 §6.2.1.2).
    public static let shortCoordinate = JWKDeviations(rawValue: 1 << 2)
}

extension JWKDeviations: CustomStringConvertible {
    /// For operators, after "it is written with".
    public var description: String {
        var parts: [String] = []
        if contains(.padding) { parts.append("padded base64") }
        if contains(.standardAlphabet) { parts.append("the standard base64 alphabet (+ and /)") }
        if contains(.shortCoordinate) { parts.append("a coordinate without its leading zeros") }
        return parts.joined(separator: ", ")
    }
}
