import StrictJSON

extension TokenVerifier {
    /// What the issuer said about an opaque token when it was asked (RFC 7662 §2.2), judged now and for this resource.
    ///
    /// `active` must be the JSON value true. What the answer need not have is judged where it is there: `iss`, `exp`, `nbf`, `iat`,
    /// `token_type`. Without `aud`, the client takes its part, and only those of ``OpaqueTokenRule/clients`` are accepted.
    ///
    /// Not checked: that the answer came from the issuer. The connection to it proves that.
    public func judgeIntrospection(_ answer: ClaimsSet, audiences: [String], at now: NumericDate) throws(TokenRejection) -> VerifiedToken {
        guard let rule = issuer.opaqueTokens else { throw .opaqueNotSupported }
        let json = answer.json
        guard json[member: "active"]?.boolean == true else { throw .inactive }
        if json[member: "iss"] != nil {
            guard let claimed = answer.issuer, issuer.identifiers.contains(where: { $0.exactText != nil && $0.matches(claimed) }) else {
                throw .issuerMismatch
            }
        }
        let expiration = try answer.date("exp")
        guard expiration ?? .latest <= .latest else { throw .claimInvalid }
        try judge(expiration: expiration, of: answer, at: now)
        try judgeAudience(ofOpaque: answer, rule, audiences)
        if let type = json[member: "token_type"] {
            guard let name = type.string?.lowercased(), name == "bearer" || name == "access_token" else { throw .notAccessToken }
        }
        try judgeClient(of: answer)
        let subject = try answer.subject(issuer.subject)
        for check in issuer.claimChecks where !check.rule.holds(for: answer) { throw check.rejection }
        guard json[member: "cnf"] == nil else { throw .boundToken }
        return VerifiedToken(verifier: self, claims: answer, keyID: nil, expiration: expiration, subject: subject)
    }

    private func judgeAudience(ofOpaque answer: ClaimsSet, _ rule: OpaqueTokenRule, _ audiences: [String]) throws(TokenRejection) {
        let json = answer.json
        guard json[member: "aud"] == nil else {
            guard answer.isAddressed(to: audiences) else { throw .audienceMismatch }
            return
        }
        guard let client = json[member: "client_id"], rule.clients.contains(where: { client.isString(equalTo: $0) }) else {
            throw .audienceMismatch
        }
    }
}
