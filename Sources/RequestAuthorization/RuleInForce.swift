import AccessControl
import TokenVerification

/// The rule that a request fell under, with what its answers need.
struct RuleInForce {
    let compiled: CompiledResource
    let place: PlaceMatch
    let match: RouteMatch
    let policy: AccessPolicy

    var resource: ProtectedResource { compiled.resource }

    /// The interruption for a reason, with the challenge a client can act on.
    func rejection(_ reason: RejectionReason) -> Interruption {
        var challenge = BearerChallenge(realm: resource.identifier)
        switch reason {
        case .insufficientScope:
            challenge.scope = policy.challengeScopes.joined(separator: " ")
        case .authenticationTooOld, .authenticationTooWeak:
            challenge.maxAge = policy.challengeMaxAge
            let classes = policy.challengeContextClasses
            challenge.acrValues = classes.isEmpty ? nil : classes.joined(separator: " ")
        default: break
        }
        return .reject(Rejection(reason, challenge: reason.hasChallenge ? challenge : nil))
    }
}

/// A resource, and what is worked out of it once, so that no request has to. A reference, so that no request copies it either.
final class CompiledResource: Sendable {
    let resource: ProtectedResource
    private let acceptedIssuers: [String: AcceptedIssuer]

    init(_ resource: ProtectedResource, issuers: [IssuerKeys]) {
        self.resource = resource
        let pairs = resource.issuers.map { (issuers[$0.issuer].verifier.issuer.identifier, $0) }
        acceptedIssuers = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
    }

    /// The issuer that the token claims, if the resource trusts it. The claim is still to be proved.
    func issuer(of token: UnverifiedToken) throws(TokenRejection) -> AcceptedIssuer {
        guard let identifier = token.claims.issuer, let accepted = acceptedIssuers[identifier] else { throw .issuerMismatch }
        return accepted
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
        guard case .token(let requirements) = policies[match.ruleIndex] else { return [:] }
        var parameters: [String: String] = [:]
        for case .organization(.pathParameter(let name)) in requirements {
            guard let segment = routes.value(of: name, in: match, path: request.path) else { continue }
            parameters[name] = String(decoding: segment, as: UTF8.self)
        }
        return parameters
    }
}
