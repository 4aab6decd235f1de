import TokenVerification

extension RequestAuthorizer {
    /// Whether what the request is for may go over to the WebSocket protocol.
    public func allowsWebSockets(_ facts: AuthorizationFacts?) -> Bool {
        guard let index = facts?.resource, resources.indices.contains(index) else { return false }
        return resources[index].allowsWebSockets
    }

    /// When what a permitted request opened has to end: the moment from which its token would be refused.
    ///
    /// Nil if no token was needed, if the token has no end, or if the resource keeps what is open.
    public func streamEnd(of request: AuthorizationRequest, _ facts: AuthorizationFacts?) -> NumericDate? {
        guard let facts, facts.isAuthenticated, let index = facts.resource, resources.indices.contains(index),
            resources[index].endsStreamsAtExpiry
        else { return nil }
        if let token = facts.token { return token.expiration.map { $0 + token.verifier.issuer.leeway } }
        guard facts.hasRecord, let record = TokenRecord(request.record.bytes), issuers.indices.contains(record.issuer) else {
            return nil
        }
        return record.expiration + issuers[record.issuer].verifier.issuer.leeway
    }
}
