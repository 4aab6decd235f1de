import AccessControl
import Callers
import HTTPMessages
import TokenVerification

/// The rule that a request fell under, with what its answers need.
struct RuleInForce {
    let compiled: CompiledResource
    let match: RouteMatch
    let policy: AccessPolicy

    var resource: ProtectedResource { compiled.resource }

    /// The interruption for a reason, with the challenge a client can act on.
    ///
    /// - Parameters:
    ///   - token: the verified token that is not sufficient; nil if there is no verified token.
    ///   - issuer: whose token is not sufficient, once its signature was found to be good, now or before.
    ///   - missed: the index of the requirement that a token does not meet; nil: none was judged.
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
            // So that a client without a token knows what to ask for (RFC 6750 §3, RFC 9728).
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

    /// Entra's way to ask for an authentication context, for a client that said it understands it.
    private func claimsChallenge(for token: VerifiedToken?, missed: Int?) -> BearerChallenge? {
        guard let token, case .claimsRequest(let realm, let authorizationURI) = token.verifier.issuer.stepUp,
            token.understandsClaimsChallenges, let contextClass = policy.challengeContextClasses(missed: missed).first
        else { return nil }
        return BearerChallenge(realm: realm, authorizationURI: authorizationURI, requestingContextClass: contextClass)
    }
}

/// A resource with data precomputed once per configuration; a class, so that requests share it.
final class CompiledResource: Sendable {
    let resource: ProtectedResource
    let scopeNames: ScopeNames
    let metadata: ResourceMetadata?
    let mistakes: CommonMistakes
    let crossOrigin: CrossOriginTerms?
    /// Of each rule: the resource's own and the rule's; nil: there are none.
    let quotas: IndexedBy<RuleIndex, RuleQuotas?>
    /// Of requests without a rule.
    let commonQuotas: RuleQuotas?
    /// Of each route to an upstream, the index of the question by whose answer requests are spread.
    let spreads: IndexedBy<RuleIndex, Int?>
    /// The issuers with their rules, in the resource's order.
    private let issuers: [(accepted: AcceptedIssuer, verifier: TokenVerifier)]
    /// Indices in `issuers` by the values that `iss` can have.
    private let exact: [String: Int]
    /// What is refused by the value of `iss`, and what by a family of values.
    private let refusedExactly: [String: Refusal]
    private let refusedFamilies: [Refusal]

    private typealias Refusal = (verifier: TokenVerifier, refused: RefusedIssuer)

    init(_ resource: ProtectedResource, issuers all: IndexedBy<IssuerIndex, IssuerKeys>, callers: [CallerQuestion]) {
        self.resource = resource
        quotas = resource.quotas.mapped { RuleQuotas($0.map { RuleQuota($0, among: callers) }) }
        commonQuotas = RuleQuotas(resource.commonQuotas.map { RuleQuota($0, among: callers) })
        spreads = resource.spreads.mapped { $0.flatMap { callers.firstIndex(of: .spread($0)) } }
        let issuers = resource.issuers.compactMap { accepted in
            all[accepted.issuer].map { (accepted: accepted, verifier: $0.verifier) }
        }
        self.issuers = issuers
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

    /// The issuer that the token claims, if the resource trusts it. The claim is still to be proved.
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

    /// What the operator should know about a token that was refused before its issuer was found.
    func hint(for refusal: TokenRefusal) -> String? {
        if let claimed = refusal.claims?.issuer {
            guard let (verifier, refused) = self.refusal(of: claimed) else { return nil }
            return refusal.rejection == refused.rejection
                ? refused.hint : verifier.issuer.hint(for: refusal.rejection, claims: refusal.claims)
        }
        return issuers.lazy.compactMap { $0.verifier.issuer.hint(for: refusal.rejection, claims: nil) }.first
    }

    /// The issuer that knows why an `iss` is refused: a single value tells more than a family.
    private func refusal(of claimed: String) -> Refusal? {
        // Texts that are equal as Unicode may differ as bytes.
        if let refusal = refusedExactly[claimed], refusal.refused.identifier.matches(claimed) { return refusal }
        return refusedFamilies.first { $0.refused.identifier.matches(claimed) }
    }

    /// The issuer that opaque tokens are asked about.
    var introspecting: AcceptedIssuer? {
        issuers.first { $0.verifier.issuer.opaqueTokens != nil }?.accepted
    }
}

/// What each request asks of its resource. Not of the resource itself: a call on that copies it, and so retains each of
/// its parts.
extension CompiledResource {
    /// The rule that a request falls under.
    ///
    /// - Parameter segments: how many leading segments of its path are the place's.
    func match(_ request: borrowing AuthorizationRequest, below segments: Int) -> RouteMatch? {
        resource.routes.match(
            method: request.head.bytes.span.extracting(request.head.method), path: request.path, below: segments)
    }

    /// Where a request has its token: among the subprotocols if it offers one there, else where every request of the
    /// resource has it.
    func tokenPlace(of head: borrowing RequestHead) -> TokenPlace {
        guard head.contains(.secWebSocketProtocol), let name = resource.webSockets?.tokenProtocol else {
            return resource.tokenPlace
        }
        let offered = TokenPlace.subprotocol(name)
        return offered.isUsed(in: head) ? offered : resource.tokenPlace
    }
}

extension ProtectedResource {
    /// The segments that the matched rule's pattern names; empty unless its policy looks at one.
    func pathParameters(of request: AuthorizationRequest, in match: RouteMatch) -> [String: String] {
        var parameters: [String: String] = [:]
        for name in policies[match.ruleIndex]?.pathParameters ?? [] {
            guard let segment = routes.value(of: name, in: match, path: request.path) else { continue }
            parameters[name] = String(decoding: segment, as: UTF8.self)
        }
        return parameters
    }
}
