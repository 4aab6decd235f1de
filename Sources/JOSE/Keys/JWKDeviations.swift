/// Deviations of a published key from the syntax of RFC 7517 and RFC 7518. The key's value is unambiguous despite them.
///
/// They are accepted only in key sets. A key that came with a request would be read strictly.
public struct JWKDeviations: OptionSet, Sendable, Hashable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// Padding (`=`) after base64.
    public static let padding = JWKDeviations(rawValue: 1 << 0)
    /// `+` and `/` instead of base64url's `-` and `_`.
    public static let standardAlphabet = JWKDeviations(rawValue: 1 << 1)
    /// A coordinate of an elliptic curve without its leading zeros (RFC 7518 §6.2.1.2).
    public static let shortCoordinate = JWKDeviations(rawValue: 1 << 2)
}

extension JWKDeviations: CustomStringConvertible {
    /// The deviations in words, for operators, to follow "it is written with".
    public var description: String {
        var parts: [String] = []
        if contains(.padding) { parts.append("padded base64") }
        if contains(.standardAlphabet) { parts.append("the standard base64 alphabet (+ and /)") }
        if contains(.shortCoordinate) { parts.append("a coordinate without its leading zeros") }
        return parts.joined(separator: ", ")
    }
}
