import StrictJSON

/// Value of a proved token that the access log shows only if the file chooses it.
public enum LoggedMember: Sendable, Hashable {
    case scopes, actor, tenant, organization
    case claim(ClaimPath)

    /// Most claims that a file may choose. It bounds lines and cache records.
    public static let mostClaims = 16

    public var isClaim: Bool { if case .claim = self { true } else { false } }

    /// The value in these claims. Nil if they have none.
    ///
    /// - Parameters:
    ///   - claims: claims that a key of the issuer signed, or those of its introspection answer.
    ///   - verifier: the verifier of that issuer.
    public func value(in claims: ClaimsSet, of verifier: TokenVerifier) -> LoggedValue? {
        switch self {
        case .scopes: Self.joined(verifier.scopes(in: claims)).map(LoggedValue.init(text:))
        case .actor: claims.json[member: "act"]?[member: "sub"]?.string.map(LoggedValue.init(text:))
        case .tenant: verifier.issuer.tenant(in: claims).map(LoggedValue.init(text:))
        case .organization: verifier.issuer.organization(in: claims).map(LoggedValue.init(text:))
        case .claim(let path): path.value(in: claims.json).map(LoggedValue.init)
        }
    }

    /// Scopes joined by spaces, as tokens have them. A JSON array if a scope contains a space: it must not be taken for
    /// two. Nil without scopes.
    private static func joined(_ scopes: [String]) -> String? {
        guard !scopes.isEmpty else { return nil }
        guard scopes.contains(where: { $0.utf8.contains(UInt8(ascii: " ")) }) else {
            return scopes.joined(separator: " ")
        }
        let elements = scopes.map { String(decoding: $0.serializedAsJSON, as: UTF8.self) }
        return "[\(elements.joined(separator: ","))]"
    }
}

/// A logged value: text, or a number or boolean as JSON. Cut to ``longest`` bytes.
public struct LoggedValue: Sendable, Hashable {
    /// UTF-8 of the text, or the JSON of the number or boolean.
    public let bytes: [UInt8]
    /// False for a number or boolean, which is logged without quotes.
    public let isText: Bool

    /// Most bytes of a value. A longer text is cut between two characters.
    public static let longest = 128

    /// Makes a value from bytes that are no longer than ``longest``, as a cache record has them.
    public init(bytes: [UInt8], isText: Bool) {
        self.bytes = bytes
        self.isText = isText
    }

    init(text: String) {
        self.init(bytes: Array(text.prefix(utf8Count: Self.longest).utf8), isText: true)
    }

    /// Makes the value of a claim. Of an array or object it is the beginning of its compact JSON, as text.
    init(_ claim: JSONValue) {
        switch claim.kind {
        case .string: self.init(text: claim.string ?? "")
        case .array, .object, .null: self.init(text: String(decoding: claim.serialized(), as: UTF8.self))
        case .integer, .real, .boolean: self.init(scalar: claim.serialized())
        }
    }

    /// Makes the value of a number or boolean. An integer of any length may be in a token; a long one becomes text,
    /// since its beginning would be another number.
    private init(scalar json: [UInt8]) {
        self.init(bytes: Array(json.prefix(Self.longest)), isText: json.count > Self.longest)
    }
}
