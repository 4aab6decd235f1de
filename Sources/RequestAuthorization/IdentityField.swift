import HTTPMessages
import StrictJSON
import TokenVerification

/// One field that tells the upstream something of the verified identity.
public struct IdentityField: Sendable, Hashable {
    public let value: IdentityValue
    public let name: FieldName

    /// The longest value that is sent on, in bytes after encoding.
    public static let longestValue = 4096

    public init(_ value: IdentityValue, name: FieldName) {
        self.value = value
        self.name = name
    }

    /// Appends `Name: value CRLF`; nothing if the token does not have the value.
    ///
    /// - Returns: false if the value is longer than an upstream can be expected to take.
    func append(for token: VerifiedToken, to lines: inout [UInt8]) -> Bool {
        guard let text = value.text(in: token) else { return true }
        let encoded = Self.encode(text)
        guard encoded.count <= Self.longestValue else { return false }
        lines.append(contentsOf: name.spelling)
        lines.append(contentsOf: ": ".utf8)
        lines.append(contentsOf: encoded)
        lines.append(contentsOf: "\r\n".utf8)
        return true
    }

    /// `%` and every byte outside 0x20–0x7E as `%XX`, and spaces at either end, so that no value can end the line or change in
    /// transit.
    static func encode(_ text: [UInt8]) -> [UInt8] {
        var encoded: [UInt8] = []
        encoded.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() {
            let isOuterSpace = byte == UInt8(ascii: " ") && (index == 0 || index == text.count &- 1)
            guard byte == UInt8(ascii: "%") || !(0x20...0x7E).contains(byte) || isOuterSpace else {
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

/// What of a verified identity can be told to an upstream.
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

    /// The value's text; nil if the token does not have it.
    func text(in token: VerifiedToken) -> [UInt8]? {
        switch self {
        case .subject: token.subject.map { Array($0.utf8) }
        case .scopes: Self.words(token.scopes)
        case .client: token.clientID.map { Array($0.utf8) }
        case .issuer: Array(token.issuer.identifier.utf8)
        case .tenant: token.tenant.map { Array($0.utf8) }
        case .organization: token.organization.map { Array($0.utf8) }
        case .roles: Self.words(token.roles)
        case .claim(let path): path.value(in: token.claims.json).flatMap(Self.text)
        }
    }

    private static func words(_ words: [String]) -> [UInt8]? {
        words.isEmpty ? nil : Array(words.joined(separator: " ").utf8)
    }

    /// A string is itself, null is absent, and everything else is its compact JSON.
    private static func text(of claim: JSONValue) -> [UInt8]? {
        switch claim.kind {
        case .null: nil
        case .string: claim.string.map { Array($0.utf8) }
        case .boolean, .integer, .real, .array, .object: claim.serialized()
        }
    }
}
