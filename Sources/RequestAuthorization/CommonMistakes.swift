import AccessControl
import StrictJSON
import TokenVerification

/// What an operator should know about refusals that are usual mistakes with any issuer; said where the issuer itself has no hint.
///
/// Made of configuration alone: a hint repeats nothing that a token says.
struct CommonMistakes: Sendable {
    /// What `iss` may be, by what is left of it without a final slash and in lower case.
    private let issuers: [String: String]
    /// Scopes that the resource's rules ask for.
    private let scopes: Set<String>

    init(_ resource: ProtectedResource, issuers: [TrustedIssuer]) {
        let texts = issuers.flatMap { $0.identifiers.compactMap(\.exactText) }
        self.issuers = Dictionary(texts.map { (Self.folded($0), $0) }, uniquingKeysWith: { first, _ in first })
        scopes = Set(resource.policies.flatMap(\.knownScopes))
    }

    /// - Parameter issuer: the token's; nil where none was found.
    func hint(for refusal: TokenRefusal, issuer: TrustedIssuer?) -> String? {
        guard let claims = refusal.claims else { return nil }
        switch refusal.rejection {
        case .issuerMismatch: return claims.issuer.flatMap(hint(issuer:))
        case .typeMismatch, .notAccessToken: return Self.isIDToken(claims) ? Self.idToken : nil
        case .audienceMismatch: return hint(audienceOf: claims, issuer)
        default: return nil
        }
    }

    // MARK: Issuer

    private func hint(issuer claimed: String) -> String? {
        guard let text = issuers[Self.folded(claimed)], !text.utf8.elementsEqual(claimed.utf8) else { return nil }
        let differsByCase = !Self.withoutSlash(claimed).utf8.elementsEqual(Self.withoutSlash(text).utf8)
        let difference = differsByCase ? "upper and lower case" : "the slash at its end"
        return "The token's iss is that of \(text) but for \(difference): write the issuer exactly as its tokens and its metadata have it."
    }

    private static func folded(_ text: String) -> String { withoutSlash(text).lowercased() }

    private static func withoutSlash(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }

    // MARK: Kind

    /// What only ID tokens have (OpenID Connect Core §2, §3.1.3.6), or what systems call them.
    private static func isIDToken(_ claims: ClaimsSet) -> Bool {
        let json = claims.json
        return json[member: "at_hash"] != nil || json[member: "c_hash"] != nil || json[member: "nonce"] != nil
            || json[member: "token_use"]?.isString(equalTo: "id") == true || json[member: "typ"]?.isString(equalTo: "ID") == true
    }

    private static let idToken = "It looks like an ID token, which tells an app who signed in: send the access token."

    // MARK: Audience

    private func hint(audienceOf claims: ClaimsSet, _ issuer: TrustedIssuer?) -> String? {
        guard let claim = claims.json[member: "aud"] else { return nil }
        let audiences = claim.kind == .array ? claim.elements.compactMap(\.string) : [claim.string].compactMap(\.self)
        if audiences.contains(where: scopes.contains) { return Self.scopeAsAudience }
        guard let client = claims.identifier(of: issuer?.clientClaims ?? []) else { return nil }
        return audiences.contains { $0.utf8.elementsEqual(client.utf8) } ? Self.clientAsAudience : nil
    }

    private static let scopeAsAudience =
        "The token's aud is a scope that a rule asks for. If the app asked for it so, it has to name this API's identifier, and the scope beside it."
    private static let clientAsAudience =
        "The token's aud is the app's own client ID: the app has to ask for a token for this API."
}
