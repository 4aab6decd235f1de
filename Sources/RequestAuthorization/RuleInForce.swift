import AccessControl
import TokenVerification
import TypedIndices

/// The rule that a request fell under, with what its answers need.
struct RuleInForce {
    let compiled: CompiledResource
    let place: PlaceMatch
    let match: RouteMatch
    let policy: AccessPolicy

    var resource: ProtectedResource { compiled.resource }

    /// The interruption for a reason, with the challenge a client can act on.
    ///
    /// - Parameter token: the verified token that is not enough; nil for one that is none.
    func rejection(_ reason: RejectionReason, token: VerifiedToken? = nil, maxAge: Duration? = nil) -> Interruption {
        guard reason.hasChallenge else { return .reject(Rejection(reason)) }
        if reason == .authenticationTooWeak, var challenge = claimsChallenge(for: token) {
            challenge.resourceMetadata = compiled.metadata?.url
            return .reject(Rejection(reason, challenge: challenge))
        }
        var challenge = BearerChallenge(realm: resource.identifier)
        switch reason {
        case .missingCredentials, .insufficientScope:
            // So that a client without a token knows what to ask for (RFC 6750 §3, RFC 9728).
            let scopes = policy.challengeScopes
            challenge.scope = scopes.isEmpty ? nil : scopes.joined(separator: " ")
        case .authenticationTooOld, .authenticationTooWeak:
            challenge.maxAge = maxAge.map { Int($0.components.seconds) } ?? policy.challengeMaxAge
            let classes = policy.challengeContextClasses
            challenge.acrValues = classes.isEmpty ? nil : classes.joined(separator: " ")
        default: break
        }
        if [401, 403].contains(reason.status) { challenge.resourceMetadata = compiled.metadata?.url }
        return .reject(Rejection(reason, challenge: challenge))
    }

    /// Entra's way to ask for an authentication context, for a client that said it understands it.
    private func claimsChallenge(for token: VerifiedToken?) -> BearerChallenge? {
        guard let token, case .claimsRequest(let realm, let authorizationURI) = token.verifier.issuer.stepUp,
            token.understandsClaimsChallenges, let contextClass = policy.challengeContextClasses.first
        else { return nil }
        return BearerChallenge(realm: realm, authorizationURI: authorizationURI, requestingContextClass: contextClass)
    }
}

/// A resource, and what is worked out of it once, so that no request has to. A reference, so that no request copies it either.
final class CompiledResource: Sendable {
    let resource: ProtectedResource
    let metadata: ResourceMetadata?
    /// The issuers with their rules, in the resource's order.
    private let issuers: [(accepted: AcceptedIssuer, verifier: TokenVerifier)]
    /// Places in `issuers` by the values that `iss` can have.
    private let exact: [String: Int]

    init(_ resource: ProtectedResource, issuers all: IndexedBy<IssuerIndex, IssuerKeys>) {
        self.resource = resource
        let issuers = resource.issuers.compactMap { accepted in all[accepted.issuer].map { (accepted: accepted, verifier: $0.verifier) } }
        self.issuers = issuers
        let pairs = issuers.enumerated().flatMap { index, issuer in
            issuer.verifier.issuer.identifiers.compactMap(\.exactText).map { ($0, index) }
        }
        exact = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        metadata = ResourceMetadata(resource, issuers: issuers.map(\.verifier.issuer))
    }

    /// The issuer that the token claims, if the resource trusts it. The claim is still to be proved.
    func issuer(of token: UnverifiedToken) throws(TokenRejection) -> AcceptedIssuer {
        guard let claimed = token.claims.issuer else { throw .issuerMismatch }
        if let index = exact[claimed] { return issuers[index].accepted }
        for issuer in issuers where issuer.verifier.issuer.identifiers.contains(where: { $0.exactText == nil && $0.matches(claimed) }) {
            return issuer.accepted
        }
        guard let (verifier, refused) = refusal(of: claimed) else { throw .issuerMismatch }
        throw verifier.refusal(of: token, refused)
    }

    /// What the operator should know about a token that was refused before its issuer was found.
    func hint(for rejection: TokenRejection, _ token: UnverifiedToken?) -> String? {
        if let claimed = token?.claims.issuer {
            guard let (verifier, refused) = refusal(of: claimed) else { return nil }
            return rejection == refused.rejection ? refused.hint : verifier.issuer.hint(for: rejection, claims: token?.claims)
        }
        return issuers.lazy.compactMap { $0.verifier.issuer.hint(for: rejection, claims: nil) }.first
    }

    /// The issuer that knows why an `iss` is refused: a single value tells more than a family.
    private func refusal(of claimed: String) -> (TokenVerifier, RefusedIssuer)? {
        let all = issuers.flatMap { issuer in issuer.verifier.issuer.refusedIdentifiers.map { (issuer.verifier, $0) } }
        let matching = all.filter { $0.1.identifier.matches(claimed) }
        return matching.first { $0.1.identifier.exactText != nil } ?? matching.first
    }

    /// The issuer that opaque tokens are asked about.
    var introspecting: AcceptedIssuer? {
        issuers.first { $0.verifier.issuer.opaqueTokens != nil }?.accepted
    }
}

extension RejectionReason {
    /// Whether better credentials would change the answer, so that it carries a challenge.
    var hasChallenge: Bool { bearerError != nil || self == .missingCredentials }
}

extension RejectionReason {
    /// The reason for a policy's refusal.
    init(_ denial: Denial) {
        self =
            switch denial {
            case .organizationMismatch: .organizationMismatch
            case .insufficientScope: .insufficientScope
            case .roleRequired: .roleRequired
            case .claimRequired: .claimRequired
            case .clientRequired: .clientRequired
            case .authenticationTooWeak: .authenticationTooWeak
            case .authenticationTooOld: .authenticationTooOld
            }
    }
}

extension ProtectedResource {
    /// The segments that the matched rule's pattern names; empty unless its policy looks at one.
    func pathParameters(of request: AuthorizationRequest, in match: RouteMatch) -> [String: String] {
        guard case .token(let requirements)? = policies[match.ruleIndex] else { return [:] }
        var parameters: [String: String] = [:]
        for case .organization(.pathParameter(let name)) in requirements {
            guard let segment = routes.value(of: name, in: match, path: request.path) else { continue }
            parameters[name] = String(decoding: segment, as: UTF8.self)
        }
        return parameters
    }
}
