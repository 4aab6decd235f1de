import AccessControl
import KnownTokens
import TokenVerification

extension RequestAuthorizer {
    /// Whether the request's resource may switch to the WebSocket protocol.
    public func allowsWebSockets(_ facts: AuthorizationFacts?) -> Bool {
        facts?.resource.flatMap { compiled[$0] }?.resource.webSockets != nil
    }

    /// When what a forwarded request opened has to end: the moment from which it would be refused, because its token
    /// expires, or because its rule is not only observed any more.
    ///
    /// Nil if no token was needed, if the token has no end, or if the resource keeps what is open.
    public func streamEnd(of request: AuthorizationRequest, _ facts: AuthorizationFacts?) -> PermissionEnd? {
        guard let facts, let index = facts.resource, let compiled = compiled[index],
            compiled.resource.endsStreamsAtExpiry
        else {
            return nil
        }
        if let would = facts.would {
            guard case .observe(until: let end) = compiled.resource.mode(of: facts.rule) else { return nil }
            return PermissionEnd(time: end, reason: would)
        }
        guard facts.isAuthenticated else { return nil }
        if let token = facts.token {
            return token.expiration.map { PermissionEnd(time: Leeway(token.verifier.issuer.leeway).end(of: $0)) }
        }
        guard facts.hasRecord, let expiration = request.record.expiration, let issuer = rules(of: facts.issuer) else {
            return nil
        }
        return PermissionEnd(time: Leeway(issuer.leeway).end(of: expiration))
    }
}

/// When a stream has to end, and what its client is told then.
public struct PermissionEnd: Sendable, Hashable {
    /// By the wall clock.
    public let time: NumericDate
    public let reason: RejectionReason

    public init(time: NumericDate, reason: RejectionReason = .token(.expired)) {
        self.time = time
        self.reason = reason
    }
}
