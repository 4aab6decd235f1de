import AccessControl
import StrictJSON
import TokenVerification

/// What the tokens of the tests say. "Any value" is as far as tests can tell the same as "any value that a token of
/// theirs has".
struct SeenTokens {
    private let verified: [VerifiedToken]
    /// Of every token that can be read, also of those that are refused.
    private let claims: [ClaimsSet]

    init(verified: [VerifiedToken], claims: [ClaimsSet]) {
        self.verified = verified
        self.claims = claims
    }

    func names(of attribute: TokenAttribute) -> [String] {
        Self.unique(verified.flatMap { attribute.names(in: $0) })
    }

    func values(at path: ClaimPath) -> [ClaimScalar] {
        verified.flatMap { Self.scalars(path.value(in: $0.claims.json)) }
    }

    var audiences: [String] {
        Self.unique(claims.flatMap { Self.scalars($0.json[member: "aud"]) }.compactMap(Self.text))
    }
    var issuers: [String] { Self.unique(claims.compactMap(\.issuer)) }

    private static func scalars(_ value: JSONValue?) -> [ClaimScalar] {
        guard let value else { return [] }
        switch value.kind {
        case .string: return value.string.map { [.string($0)] } ?? []
        case .integer: return value.integer.map { [.integer($0)] } ?? []
        case .real: return value.real.map { [.real($0)] } ?? []
        case .boolean: return value.boolean.map { [.boolean($0)] } ?? []
        case .array: return value.elements.flatMap { $0.kind == .array ? [] : scalars($0) }
        case .null, .object: return []
        }
    }

    private static func text(_ scalar: ClaimScalar) -> String? {
        if case .string(let text) = scalar { text } else { nil }
    }

    /// By bytes, in order.
    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return texts.filter { seen.insert(Array($0.utf8)).inserted }
    }
}
