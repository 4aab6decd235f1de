import KnownTokens
import TokenVerification
import TypedIndices

extension RequestAuthorizer {
    /// Whether the request's resource may switch to the WebSocket protocol.
    public func allowsWebSockets(_ facts: AuthorizationFacts?) -> Bool {
        facts?.resource.flatMap { compiled[$0] }?.resource.allowsWebSockets ?? false
    }

    /// When what a permitted request opened has to end: the moment from which its token would be refused.
    ///
    /// Nil if no token was needed, if the token has no end, or if the resource keeps what is open.
    public func streamEnd(of request: AuthorizationRequest, _ facts: AuthorizationFacts?) -> NumericDate? {
        guard let facts, facts.isAuthenticated, let index = facts.resource, let compiled = compiled[index],
            compiled.resource.endsStreamsAtExpiry
        else { return nil }
        if let token = facts.token { return token.expiration.map { $0 + token.verifier.issuer.leeway } }
        guard facts.hasRecord, let expiration = request.record.expiration, let issuer = rules(of: facts.issuer) else { return nil }
        return expiration + issuer.leeway
    }
}
