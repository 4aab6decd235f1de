import HTTPMessages
import StrictJSON
import TokenVerification

/// Header field that states a part of the verified identity to the upstream.
public struct IdentityField: Sendable, Hashable {
    public let value: IdentityValue
    public let name: FieldName
    /// Longest forwarded value, in bytes after encoding.
    public let longestValue: Int

    /// Length of a value that every upstream can be expected to accept.
    public static let usualLongestValue = 4096

    public init(_ value: IdentityValue, name: FieldName, longestValue: Int = Self.usualLongestValue) {
        self.value = value
        self.name = name
        self.longestValue = longestValue
    }

    /// Appends `Name: value CRLF`. Appends nothing if the token does not have the value.
    ///
    /// - Returns: false if the value is longer than `longestValue`.
    public func append(for token: VerifiedToken, to lines: inout [UInt8]) -> Bool {
        guard let encoded = value.encoded(in: token) else { return true }
        guard encoded.count <= longestValue else { return false }
        lines.append(contentsOf: name.spelling)
        lines.append(contentsOf: ": ".utf8)
        lines.append(contentsOf: encoded)
        lines.append(contentsOf: "\r\n".utf8)
        return true
    }

    /// Percent-encodes `%`, every byte outside 0x20–0x7E, and spaces at either end. So no value can end the line or
    /// change in transit.
    static func encode(_ text: [UInt8], innerSpaces: InnerSpaces = .kept) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() {
            let isOuter = index == 0 || index == text.count &- 1
            let isEscapedSpace = byte == UInt8(ascii: " ") && (isOuter || innerSpaces == .escaped)
            guard byte == UInt8(ascii: "%") || !(0x20...0x7E).contains(byte) || isEscapedSpace else {
                encoded.append(byte)
                continue
            }
            encoded.append(UInt8(ascii: "%"))
            encoded.append(contentsOf: [hexadecimal(byte &>> 4), hexadecimal(byte & 0x0F)])
        }
        return encoded
    }

    private static func hexadecimal(_ digit: UInt8) -> UInt8 {
        digit < 10 ? UInt8(ascii: "0") &+ digit : UInt8(ascii: "A") &+ digit &- 10
    }
}

/// Treatment of spaces within a value. They are escaped in values that are joined by spaces.
enum InnerSpaces { case kept, escaped }

/// Part of a verified identity that can be forwarded to an upstream.
public enum IdentityValue: Sendable, Hashable {
    case subject
    case scopes
    case client
    case issuer
    case tenant
    case organization
    case roles
    /// A claim as the issuer signed it.
    case claim(ClaimPath)
    /// Elements of a claim that are among the choice, or the whole claim if it is.
    case chosen(ClaimPath, among: ClaimChoice)

    /// The value as it is sent. Nil if the token does not have it.
    func encoded(in token: VerifiedToken) -> [UInt8]? {
        switch self {
        case .subject: Self.encoded(token.subject)
        case .scopes: Self.words(token.scopes)
        case .client: Self.encoded(token.clientID)
        case .issuer: Self.encoded(token.issuerIdentifier)
        case .tenant: Self.encoded(token.tenant)
        case .organization: Self.encoded(token.organization)
        case .roles: Self.words(token.roles)
        case .claim(let path): path.value(in: token.claims.json).flatMap(Self.text).map { IdentityField.encode($0) }
        case .chosen(let path, let choice):
            path.value(in: token.claims.json).flatMap { Self.text(of: $0, among: choice) }.map {
                IdentityField.encode($0)
            }
        }
    }

    private static func encoded(_ text: String?) -> [UInt8]? {
        text.map { IdentityField.encode(Array($0.utf8)) }
    }

    /// Joins values by spaces; spaces within a value are escaped. A role `a b` must not read as the roles `a` and `b`.
    /// Nil if there are no values.
    private static func words(_ words: [String]) -> [UInt8]? {
        words.isEmpty
            ? nil
            : Array(
                words.map { IdentityField.encode(Array($0.utf8), innerSpaces: .escaped) }.joined(separator: [
                    UInt8(ascii: " ")
                ]))
    }

    /// Text of a claim: a string as it is, everything else as compact JSON. Nil for null.
    private static func text(of claim: JSONValue) -> [UInt8]? {
        switch claim.kind {
        case .null: nil
        case .string: claim.string.map { Array($0.utf8) }
        case .boolean, .integer, .real, .array, .object: claim.serialized()
        }
    }

    /// Text of the part of a claim that is among the choice. Nil instead of an empty array.
    private static func text(of claim: JSONValue, among choice: ClaimChoice) -> [UInt8]? {
        guard claim.kind == .array else { return choice.includes(claim) ? text(of: claim) : nil }
        let chosen = claim.elements.filter(choice.includes)
        guard !chosen.isEmpty else { return nil }
        return [UInt8(ascii: "[")] + chosen.map { $0.serialized() }.joined(separator: [UInt8(ascii: ",")]) + [
            UInt8(ascii: "]")
        ]
    }
}
