import AccessControl
import HTTPMessages
import TokenVerification

/// Requests that would be refused, under a rule that is only observed (not enforced).
extension RequestWalk {
    /// Forwards a request that would be refused, as one without a token.
    ///
    /// Nothing in the token is trusted: neither the token nor an identity is forwarded, nor an `Authorization` that the
    /// resource would pass. Checks that are not about access still reject: the message, its path, limits, and the deny
    /// list. The deny list is checked here, for tokens that were rejected before their turn.
    ///
    /// - Throws: the original rejection if it stays in force, or the rejection by one of these checks.
    @inline(never)
    mutating func observed(_ refused: Interruption, _ request: inout AuthorizationRequest) throws(Interruption)
        -> Forwarding
    {
        guard case .reject(let rejection) = refused, rejection.reason.isSuspendable,
            // A deny list that cannot be evaluated rejects too.
            facts.stage != .denials, let resource = facts.resource, let compiled = authorizer.compiled[resource],
            compiled.resource.mode(of: facts.rule).isObserving(at: now),
            let (place, _, _) = authorizer.place(of: request)
        else { throw refused }
        // Restored after the quotas: it tells how far the request came.
        let stage = facts.stage
        facts.isAuthenticated = false
        switch authorizer.denial(ofRefused: request, facts) {
        case .none: break
        case .unknown: throw refused
        case .by: throw denied(compiled)
        }
        let forwarding = try observedForwarding(of: &request, compiled, below: place.segments)
        let quotas = facts.rule.map { compiled.quotas[$0] ?? nil } ?? compiled.commonQuotas
        if let quotas { try charge(quotas, for: .nobody, &request) }
        facts.stage = stage
        facts.would = rejection.reason
        return forwarding
    }

    private mutating func denied(_ compiled: CompiledResource) -> Interruption {
        facts.stage = .denials
        // The hint belongs to the original rejection.
        (facts.hint, facts.missed) = (nil, nil)
        guard let match = facts.match, let policy = compiled.resource.policies[match.ruleIndex] else {
            return .reject(Rejection(.token(.denied)))
        }
        return RuleInForce(compiled: compiled, match: match, policy: policy).rejection(.token(.denied))
    }

    private mutating func observedForwarding(
        of request: inout AuthorizationRequest, _ compiled: CompiledResource, below segments: Int
    ) throws(Interruption) -> Forwarding {
        let target = try upstream(of: request, compiled.resource, below: segments)
        request.identityFields.removeAll(keepingCapacity: true)
        let (pathStart, strippedPrefix) = stripped(request, compiled, below: segments)
        return Forwarding(
            upstream: target?.upstream, pathStart: pathStart, strippedPrefix: strippedPrefix,
            keepsAuthorization: false, tokenField: nil, identityFields: [], spread: nil)
    }
}
