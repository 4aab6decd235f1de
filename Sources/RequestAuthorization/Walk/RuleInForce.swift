import AccessControl
import Callers
import HTTPMessages
import JOSE
import TokenVerification

/// The rule that a request matched, with the data that its responses need.
struct RuleInForce {
    let compiled: CompiledResource
    let match: RouteMatch
    let policy: AccessPolicy

    var resource: ProtectedResource { compiled.resource }

    /// Builds the rejection for a reason, with a challenge that the client can act on.
    ///
    /// - Parameters:
    ///   - token: the verified token that is not sufficient. Nil if there is no verified token.
    ///   - issuer: the issuer of the insufficient token, once its signature is proved, now or earlier (cached).
    ///   - missed: the index of the requirement that the token does not meet. Nil if no requirement was judged.
    func rejection(
        _ reason: RejectionReason, token: VerifiedToken? = nil, issuer: IssuerIndex? = nil, missed: Int? = nil,
        maxAge: Duration? = nil
    ) -> Interruption {
        guard reason.hasChallenge else { return .reject(Rejection(reason)) }
        if reason == .policy(.authenticationTooWeak), var challenge = claimsChallenge(for: token, missed: missed) {
            challenge.resourceMetadata = compiled.metadata?.url
            return .reject(Rejection(reason, challenge: challenge))
        }
        var challenge = BearerChallenge(realm: resource.identifier)
        switch reason {
        case .credentials(.missing), .policy(.insufficientScope):
            // So a client without a token knows which scopes to request (RFC 6750 §3, RFC 9728).
            challenge.scope = compiled.scopeNames.challenge(policy, missed: missed, issuer: issuer)
        case _ where reason.bearerError == .insufficientUserAuthentication:
            challenge.maxAge = maxAge.map { Int($0.components.seconds) } ?? policy.challengeMaxAge(missed: missed)
            let classes = policy.challengeContextClasses(missed: missed)
            challenge.acrValues = classes.isEmpty ? nil : classes.joined(separator: " ")
        default: break
        }
        if [401, 403].contains(reason.status) { challenge.resourceMetadata = compiled.metadata?.url }
        return .reject(Rejection(reason, challenge: challenge))
    }

    /// Entra's challenge for an authentication context, for a client whose token states that it understands claims
    /// challenges. Nil for any other client, without a verified token, if the issuer has no claims challenge, and if no
    /// context class is required.
    private func claimsChallenge(for token: VerifiedToken?, missed: Int?) -> BearerChallenge? {
        guard let token, case .claimsRequest(let realm, let authorizationURI) = token.verifier.issuer.stepUp,
            token.understandsClaimsChallenges, let contextClass = policy.challengeContextClasses(missed: missed).first
        else { return nil }
        return BearerChallenge(realm: realm, authorizationURI: authorizationURI, requestingContextClass: contextClass)
    }
}

/// A resource with data precomputed once per configuration. A class, so that requests share it.
final class CompiledResource: Sendable {
    let resource: ProtectedResource
    let scopeNames: ScopeNames
    let metadata: ResourceMetadata?
    let mistakes: CommonMistakes
    let crossOrigin: CrossOriginTerms?
    /// Quotas of each rule: the resource's and the rule's own. Nil if there are none.
    let quotas: IndexedBy<RuleIndex, RuleQuotas?>
    /// Quotas of requests for which there is no rule. Nil if there are none.
    let commonQuotas: RuleQuotas?
    /// For each route to an upstream, the index of the caller question whose answer selects the target.
    let spreads: IndexedBy<RuleIndex, Int?>
    /// True if the resource or a rule has a maintenance.
    let hasMaintenance: Bool
    /// Response edits of each rule. Nil if a rule edits nothing.
    let ruleResponseEdits: IndexedBy<RuleIndex, PreparedResponseEdits?>
    /// Response edits of requests without a rule. Nil if there are none.
    let commonResponseEdits: PreparedResponseEdits?
    /// Whether the tokens of some issuer of the resource may have padding.
    let padding: CompactJWS.Padding
    /// The issuers with their rules, in the resource's order.
    private let issuers: [(accepted: AcceptedIssuer, verifier: TokenVerifier)]
    /// Indices in `issuers`, by the exact values of `iss`.
    private let exact: [String: Int]
    /// Values of `iss` that are never accepted, with the reason: exact values, and patterns.
    private let refusedExactly: [String: Refusal]
    private let refusedFamilies: [Refusal]

    private typealias Refusal = (verifier: TokenVerifier, refused: RefusedIssuer)

    init(_ resource: ProtectedResource, issuers all: IndexedBy<IssuerIndex, IssuerKeyStores>, callers: [CallerQuestion])
    {
        self.resource = resource
        hasMaintenance = resource.hasMaintenance
        ruleResponseEdits = IndexedBy(
            resource.policies.indexed.map { PreparedResponseEdits(resource.responseEdits(of: $0.index)) })
        commonResponseEdits = PreparedResponseEdits(resource.responseEdits(of: nil))
        quotas = resource.quotas.mapped { RuleQuotas($0.map { RuleQuota($0, among: callers) }) }
        commonQuotas = RuleQuotas(resource.commonQuotas.map { RuleQuota($0, among: callers) })
        spreads = resource.spreads.mapped { $0.flatMap { callers.firstIndex(of: .spread($0)) } }
        let issuers = resource.issuers.compactMap { accepted in
            all[accepted.issuer].map { (accepted: accepted, verifier: $0.verifier) }
        }
        self.issuers = issuers
        padding = issuers.contains { $0.verifier.issuer.padding == .accepted } ? .accepted : .refused
        let pairs = issuers.enumerated().flatMap { index, issuer in
            issuer.verifier.issuer.identifiers.compactMap(\.exactText).map { ($0, index) }
        }
        exact = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        let refusals: [Refusal] = issuers.flatMap { issuer in
            issuer.verifier.issuer.refusedIdentifiers.map { (verifier: issuer.verifier, refused: $0) }
        }
        let refusedTexts = refusals.compactMap { refusal in refusal.refused.identifier.exactText.map { ($0, refusal) } }
        refusedExactly = Dictionary(refusedTexts, uniquingKeysWith: { first, _ in first })
        refusedFamilies = refusals.filter { $0.refused.identifier.exactText == nil }
        crossOrigin = resource.crossOrigin.map(CrossOriginTerms.init)
        let trusted = issuers.map { (accepted: $0.accepted, issuer: $0.verifier.issuer) }
        mistakes = CommonMistakes(resource, issuers: trusted)
        let scopeNames = ScopeNames(trusted)
        self.scopeNames = scopeNames
        metadata = ResourceMetadata(resource, issuers: issuers.map(\.verifier.issuer), scopeNames: scopeNames)
    }

    /// The issuer that the token claims, if the resource trusts it. The claim is not yet proved.
    func issuer(of token: UnverifiedToken) throws(TokenRefusal) -> AcceptedIssuer {
        guard let claimed = token.claims.issuer else {
            throw TokenRefusal(.issuerMismatch, .issuer, claims: token.claims)
        }
        if let index = exact[claimed] { return issuers[index].accepted }
        for issuer in issuers
        where issuer.verifier.issuer.identifiers.contains(where: { $0.exactText == nil && $0.matches(claimed) }) {
            return issuer.accepted
        }
        let rejection = refusal(of: claimed).map { $0.verifier.refusal(of: token, $0.refused) } ?? .issuerMismatch
        throw TokenRefusal(rejection, .issuer, claims: token.claims)
    }

    /// True if the issuer that the token claims writes padding, or if the resource trusts no such issuer and so rejects
    /// the token anyway.
    func acceptsPadding(of token: UnverifiedToken) -> Bool {
        guard let index = try? issuer(of: token).issuer else { return introspecting == nil }
        return issuers.first { $0.accepted.issuer == index }?.verifier.issuer.padding == .accepted
    }

    /// Hint for the operator about a token that was rejected before its issuer was found. Nil if no usual mistake is
    /// recognized.
    func hint(for refusal: TokenRefusal) -> String? {
        if let claimed = refusal.claims?.issuer {
            guard let (verifier, refused) = self.refusal(of: claimed) else { return nil }
            return refusal.rejection == refused.rejection
                ? refused.hint : verifier.issuer.hint(for: refusal.rejection, claims: refusal.claims)
        }
        return issuers.lazy.compactMap { $0.verifier.issuer.hint(for: refusal.rejection, claims: nil) }.first
    }

    /// The entry that explains why an `iss` is refused. An exact value takes precedence over a pattern. Nil if no entry
    /// matches.
    private func refusal(of claimed: String) -> Refusal? {
        // Strings that are equal as Unicode may differ as bytes.
        if let refusal = refusedExactly[claimed], refusal.refused.identifier.matches(claimed) { return refusal }
        return refusedFamilies.first { $0.refused.identifier.matches(claimed) }
    }

    /// The resource's issuer that introspects opaque tokens; a resource has one at most. Nil if they are refused.
    var introspecting: AcceptedIssuer? {
        issuers.first { $0.verifier.issuer.opaqueTokens != nil }?.accepted
    }
}

/// Lookups that each request needs. They are not methods of `ProtectedResource`: a call on that copies it, and so
/// retains each of its parts.
extension CompiledResource {
    /// The rule that a request matches. Nil if no rule matches.
    ///
    /// - Parameter segments: number of leading path segments that are the resource's path prefix (its place).
    func match(_ request: borrowing AuthorizationRequest, below segments: Int) -> RouteMatch? {
        resource.routes.match(
            method: request.head.bytes.span.extracting(request.head.method), path: request.path, below: segments)
    }

    /// Location of the token in a request: among the subprotocols if it offers one there, otherwise the resource's
    /// first location that the request uses, or its usual one.
    func tokenPlace(of head: borrowing RequestHead) -> TokenPlace {
        if head.contains(.secWebSocketProtocol), let name = resource.webSockets?.tokenProtocol {
            let offered = TokenPlace.subprotocol(name)
            if offered.isUsed(in: head) { return offered }
        }
        guard !resource.otherTokenPlaces.isEmpty, !resource.tokenPlace.isUsed(in: head) else {
            return resource.tokenPlace
        }
        for place in resource.otherTokenPlaces where place.isUsed(in: head) { return place }
        return resource.tokenPlace
    }

    /// True if the request uses a location of the resource other than the given one.
    func hasToken(in head: borrowing RequestHead, besides found: TokenPlace) -> Bool {
        if resource.tokenPlace != found, resource.tokenPlace.isUsed(in: head) { return true }
        for place in resource.otherTokenPlaces where place != found && place.isUsed(in: head) { return true }
        return false
    }
}

extension ProtectedResource {
    /// Values of the path segments that the matched rule's pattern names. Empty unless the rule's policy uses them.
    func pathParameters(of request: AuthorizationRequest, in match: RouteMatch) -> [String: String] {
        var parameters: [String: String] = [:]
        for name in policies[match.ruleIndex]?.pathParameters ?? [] {
            guard let segment = routes.value(of: name, in: match, path: request.path) else { continue }
            parameters[name] = String(decoding: segment, as: UTF8.self)
        }
        return parameters
    }
}
