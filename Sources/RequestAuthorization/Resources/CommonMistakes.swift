import AccessControl
import StrictJSON
import TokenVerification

/// What an operator should know about refusals that are usual mistakes with any issuer; said where the issuer itself
/// has no hint.
///
/// Made of configuration alone: a hint repeats nothing that a token says.
struct CommonMistakes: Sendable {
    /// What `iss` may be, by what is left of it without a final slash and in lower case.
    private let issuers: [String: String]
    /// What `aud` may be in the tokens of each issuer, likewise.
    private let audiences: [IssuerIndex: [String: String]]
    /// Scopes that the resource's rules ask for.
    private let scopes: Set<String>

    init(_ resource: ProtectedResource, issuers: [(accepted: AcceptedIssuer, issuer: TrustedIssuer)]) {
        self.issuers = Self.byFoldedText(issuers.flatMap { $0.issuer.identifiers.compactMap(\.exactText) })
        let audiences = issuers.map {
            ($0.accepted.issuer, Self.byFoldedText($0.issuer.audiences(naming: $0.accepted.audiences)))
        }
        self.audiences = Dictionary(audiences, uniquingKeysWith: { first, _ in first })
        scopes = Set(resource.policies.flatMap(\.knownScopes))
    }

    /// - Parameter issuer: the token's; nil where none was found.
    func hint(for refusal: TokenRefusal, issuer: TrustedIssuer?) -> String? {
        guard let claims = refusal.claims else { return nil }
        switch refusal.rejection {
        case .issuerMismatch: return claims.issuer.flatMap(hint(issuer:))
        case .typeMismatch, .notAccessToken: return Self.isIDToken(claims) ? Self.idToken : nil
        case .audienceMismatch: return hint(audienceOf: claims, issuer)
        case .clientNotAllowed: return Self.wholeName(issuer?.clientClaims ?? []) { claims }
        case .claimNotAllowed:
            guard let checks = issuer?.claimChecks, let missed = refusal.missed, checks.indices.contains(missed) else {
                return nil
            }
            return Self.wholeName(checks[missed].test.paths) { claims }
        default: return nil
        }
    }

    /// What explains a refusal for certain, and so goes before what the issuer itself knows.
    ///
    /// - Parameter index: the token's issuer; nil where none was found.
    func slip(in refusal: TokenRefusal, issuer index: IssuerIndex?) -> String? {
        guard refusal.rejection == .audienceMismatch, let known = index.flatMap({ audiences[$0] }),
            let claim = refusal.claims?.json[member: "aud"]
        else { return nil }
        for audience in Self.texts(of: claim) {
            guard let text = known[Self.folded(audience)], let difference = Self.difference(text, audience) else {
                continue
            }
            return
                "The token's aud is \(text) but for \(difference): write the audience as tokens have it, or have the app ask for yours."
        }
        return nil
    }

    // MARK: Spelling

    private static func byFoldedText(_ texts: [String]) -> [String: String] {
        Dictionary(texts.map { (folded($0), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// By what two texts differ that are the same when they are folded; nil: by nothing.
    private static func difference(_ text: String, _ other: String) -> String? {
        let bySlash = text.hasSuffix("/") != other.hasSuffix("/") ? ["the slash at its end"] : []
        let byCase = withoutSlash(text).utf8.elementsEqual(withoutSlash(other).utf8) ? [] : ["upper and lower case"]
        let differences = byCase + bySlash
        return differences.isEmpty ? nil : differences.joined(separator: " and ")
    }

    // MARK: Issuer

    private func hint(issuer claimed: String) -> String? {
        guard let text = issuers[Self.folded(claimed)], let difference = Self.difference(text, claimed) else {
            return nil
        }
        return
            "The token's iss is that of \(text) but for \(difference): write the issuer exactly as its tokens and its metadata have it."
    }

    private static func folded(_ text: String) -> String { withoutSlash(text).lowercased() }

    private static func withoutSlash(_ text: String) -> String { text.hasSuffix("/") ? String(text.dropLast()) : text }

    // MARK: Kind

    /// What only ID tokens have (OpenID Connect Core §2, §3.1.3.6), or what systems call them.
    private static func isIDToken(_ claims: ClaimsSet) -> Bool {
        let json = claims.json
        return json[member: "at_hash"] != nil || json[member: "c_hash"] != nil || json[member: "nonce"] != nil
            || json[member: "token_use"]?.isString(equalTo: "id") == true
            || json[member: "typ"]?.isString(equalTo: "ID") == true
    }

    private static let idToken = "It looks like an ID token, which tells an app who signed in: send the access token."

    // MARK: Audience

    private func hint(audienceOf claims: ClaimsSet, _ issuer: TrustedIssuer?) -> String? {
        guard let claim = claims.json[member: "aud"] else { return nil }
        let audiences = Self.texts(of: claim)
        if audiences.contains(where: scopes.contains) { return Self.scopeAsAudience }
        guard let client = claims.identifier(of: issuer?.clientClaims ?? []) else { return nil }
        return audiences.contains { $0.utf8.elementsEqual(client.utf8) } ? Self.clientAsAudience : nil
    }

    private static func texts(of claim: JSONValue) -> [String] {
        claim.kind == .array ? claim.elements.compactMap(\.string) : [claim.string].compactMap(\.self)
    }

    private static let scopeAsAudience =
        "The token's aud is a scope that a rule asks for. If the app asked for it so, it has to name this API's identifier, and the scope beside it."
    private static let clientAsAudience =
        "The token's aud is the app's own client ID: the app has to ask for a token for this API."

    // MARK: Names of claims

    /// What a rule asks for and a token lacks may stand in the token under the whole text of a path, dots and all.
    ///
    /// - Parameters:
    ///   - issuer: the token's.
    ///   - claims: asked for only if a path has dots; a known token is read for it.
    static func hint(for missed: Requirement, issuer: TrustedIssuer, _ claims: () -> ClaimsSet?) -> String? {
        wholeName(missed.paths(of: issuer), claims)
    }

    private static func wholeName(_ paths: [ClaimPath], _ claims: () -> ClaimsSet?) -> String? {
        let paths = paths.filter(\.isDotted)
        guard !paths.isEmpty, let json = claims()?.json else { return nil }
        for path in paths {
            guard let pointer = path.pointerToWholeName(in: json) else { continue }
            return
                "The token has a claim called \(path), but in a path each dot goes one level down: write \(pointer) for that claim."
        }
        return nil
    }
}
