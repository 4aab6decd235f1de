import AccessControl
import JOSE
import StrictJSON
import TokenVerification

/// Values that occur in the tokens of the tests. A mutant that permits any value permits these.
struct SeenTokens {
    private let verified: [VerifiedToken]
    /// Claims of every token that can be parsed, rejected ones included.
    private let claims: [ClaimsSet]
    /// Headers of every token that can be parsed, rejected ones included.
    private let headers: [ProtectedHeader]
    /// Whether each list gets an additional value that no token has.
    private let inventsValues: Bool

    init(
        verified: [VerifiedToken], claims: [ClaimsSet], headers: [ProtectedHeader], inventsValues: Bool = false
    ) {
        self.verified = verified
        self.claims = claims
        self.headers = headers
        self.inventsValues = inventsValues
    }

    /// The tokens of all of them, and values that none has.
    static func inventing(besides all: [SeenTokens]) -> SeenTokens {
        SeenTokens(
            verified: all.flatMap(\.verified), claims: all.flatMap(\.claims), headers: all.flatMap(\.headers),
            inventsValues: true)
    }

    func names(of attribute: TokenAttribute) -> [String] {
        Self.unique(verified.flatMap { attribute.names(in: $0) } + invented("any-\(attribute.text)"))
    }

    func values(at path: ClaimPath) -> [ClaimScalar] {
        verified.flatMap { path.values(in: $0.claims.json).flatMap(Self.scalars) }
            + invented("any-value").map { .string($0) }
    }

    var audiences: [String] {
        let seen = claims.flatMap { Self.scalars($0.json[member: "aud"]) }.compactMap(Self.text)
        return Self.unique(seen + invented("any-audience"))
    }
    /// Clients of all tokens, by the issuer's client claims.
    func clients(of issuer: TrustedIssuer) -> [String] {
        Self.unique(claims.compactMap { $0.identifier(of: issuer.clientClaims) } + invented("any-client"))
    }
    /// Signers that the headers of all tokens name.
    var signers: [String] { Self.unique(headers.compactMap { $0.statement[.signer] } + invented("any-signer")) }
    /// Issuers that the claims of all tokens name, and their headers.
    var issuers: [String] {
        let named = claims.compactMap(\.issuer) + headers.compactMap { $0.statement[.issuer] }
        return Self.unique(named + invented("https://any-issuer.example"))
    }

    private func invented(_ text: String) -> [String] { inventsValues ? [text] : [] }

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

    /// Removes duplicates, compared byte by byte, and keeps the order.
    private static func unique(_ texts: [String]) -> [String] {
        var seen: Set<[UInt8]> = []
        return texts.filter { seen.insert(Array($0.utf8)).inserted }
    }
}
