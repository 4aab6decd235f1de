import AccessControl
import StrictJSON
import TokenVerification

/// Hints for the operator about token rejections that are common mistakes with any issuer; used if the issuer itself
/// has no hint.
///
/// They are made from configuration only: a hint repeats nothing from a token.
struct CommonMistakes: Sendable {
    /// Accepted `iss` values, keyed by their folded form: lower case, without a final slash.
    private let issuers: [String: String]
    /// Accepted `aud` values of each issuer's tokens, keyed by their folded form.
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

    /// Returns a hint for a rejected token. Nil if it is no common mistake.
    ///
    /// - Parameter issuer: the token's issuer. Nil if none was found.
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

    /// Returns a hint that explains the rejection with certainty, and so takes precedence over the issuer's own hints.
    ///
    /// - Parameter index: the token's issuer. Nil if none was found.
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

    /// Describes the difference between two texts whose folded forms are equal. Nil if the texts are equal.
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

    /// True if the token has claims that only ID tokens have (OpenID Connect Core §2, §3.1.3.6), or is labelled as one.
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
        "The token's aud is a scope that a rule asks for. If the app requested it, it must name this API's identifier as the audience, and the scope separately."
    private static let clientAsAudience =
        "The token's aud is the app's own client ID: the app has to ask for a token for this API."

    // MARK: Names of claims

    /// Hint for a required claim that the token has under another name: one claim whose name is the whole path, with
    /// its dots. Nil if no path has dots, or the token has no claim of that name.
    ///
    /// - Parameters:
    ///   - verifier: the verifier of the token's issuer.
    ///   - claims: called only if a path has dots; a cached token is parsed for it.
    static func hint(for missed: Requirement, _ verifier: TokenVerifier, _ claims: () -> ClaimsSet?) -> String? {
        wholeName(missed.paths(of: verifier.issuer), claims)
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
