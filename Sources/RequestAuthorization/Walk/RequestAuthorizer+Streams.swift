import AccessControl
import KnownTokens
import TokenVerification

extension RequestAuthorizer {
    /// True if the request's resource permits the WebSocket protocol.
    public func allowsWebSockets(_ facts: AuthorizationFacts?) -> Bool {
        facts?.resource.flatMap { compiled[$0] }?.resource.webSockets != nil
    }

    /// End of the stream that a forwarded request opened. From then on the request would be refused: its token expires,
    /// or its rule is enforced again.
    ///
    /// Nil if no token was needed, if the token does not expire, or if the resource keeps streams open.
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

/// Time at which a stream must end, and the reason its client gets.
public struct PermissionEnd: Sendable, Hashable {
    /// End of the stream by the wall clock.
    public let time: NumericDate
    public let reason: RejectionReason

    public init(time: NumericDate, reason: RejectionReason = .token(.expired)) {
        self.time = time
        self.reason = reason
    }
}
