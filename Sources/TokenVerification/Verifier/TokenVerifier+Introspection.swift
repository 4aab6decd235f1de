import StrictJSON

extension TokenVerifier {
    /// Verifies the issuer's answer about an opaque token (RFC 7662 §2.2), now and for this resource.
    ///
    /// `active` must be the JSON value true. Optional members are checked if they are present: `iss`, `exp`, `nbf`,
    /// `iat`, `token_type`, `token_use`, `typ`. Without `aud` the client decides: only those of
    /// ``OpaqueTokenRule/clients`` are accepted, and `token_type` must be present. Not checked: that the answer came
    /// from the issuer. The connection to it proves that.
    public func judgeIntrospection(_ answer: ClaimsSet, audiences: [String], at now: NumericDate) throws(TokenRefusal)
        -> VerifiedToken
    {
        var progress = TokenProgress(check: .introspection)
        do throws(TokenRejection) {
            return try judgeIntrospection(answer, audiences: audiences, at: now, &progress)
        } catch {
            throw TokenRefusal(error, progress.check, claims: answer, missed: progress.missed)
        }
    }

    private func judgeIntrospection(
        _ answer: ClaimsSet, audiences: [String], at now: NumericDate, _ progress: inout TokenProgress
    ) throws(TokenRejection) -> VerifiedToken {
        // Directory and key binding are proved by a signature, not by an answer. Issuers with these rules are not
        // asked.
        guard let rule = issuer.opaqueTokens, issuer.directory == nil, issuer.keyBinding == .none else {
            throw .opaqueNotSupported
        }
        guard answer.json[member: "active"]?.boolean == true else { throw .inactive }
        progress.check = .issuer
        try judgeIssuer(ofOpaque: answer)
        progress.check = .times
        let expiration = try judgeTimes(ofOpaque: answer, at: now)
        progress.check = .audience
        try judgeAudience(ofOpaque: answer, rule, audiences)
        progress.check = .kind
        try judgeKind(ofOpaque: answer, audiences)
        progress.check = .client
        try judge(answer, clientChecks)
        progress.check = .subject
        let subject = try answer.subject(issuer.subject)
        progress.check = .claims
        try judgeOtherClaims(of: answer, &progress)
        progress.check = .binding
        try judge(answer, TrustedIssuer.bindingChecks)
        return VerifiedToken(verifier: self, claims: answer, keyID: nil, expiration: expiration, subject: subject)
    }

    private func judgeIssuer(ofOpaque answer: ClaimsSet) throws(TokenRejection) {
        guard answer.json[member: "iss"] != nil else { return }
        guard let claimed = answer.issuer,
            issuer.identifiers.contains(where: { $0.exactText != nil && $0.matches(claimed) })
        else {
            throw .issuerMismatch
        }
    }

    private func judgeTimes(ofOpaque answer: ClaimsSet, at now: NumericDate) throws(TokenRejection) -> NumericDate? {
        let expiration = try answer.date("exp")
        guard expiration ?? .latest <= .latest else { throw .claimInvalid }
        try judgeTimes(of: answer, until: expiration, at: now)
        return expiration
    }

    /// Checks that the token is an access token: by the answer's members about its kind, and by the rule that
    /// distinguishes the issuer's access tokens.
    ///
    /// An answer must have `token_type` if it names none of the resource's audiences, or only one that is the client
    /// itself. Servers give both kinds of answer about refresh tokens, which live for weeks.
    private func judgeKind(ofOpaque answer: ClaimsSet, _ audiences: [String]) throws(TokenRejection) {
        let kind = OpaqueTokenKind(answer: answer)
        guard kind.mayBeAccessToken else { throw .notAccessToken }
        let client = answer.json[member: "client_id"]
        let others = audiences.filter { audience in !(client?.isString(equalTo: audience) ?? false) }
        guard kind.hasTokenType || answer.isAddressed(to: others) else { throw .notAccessToken }
        guard case .claims(let tests) = issuer.tokenType else { return }
        for case .claim(let path, let test, holds: true) in tests where test.listsValues {
            guard let claim = path.value(in: answer.json) else { continue }
            guard test.holds(for: claim) else { throw .notAccessToken }
        }
    }

    private func judgeAudience(ofOpaque answer: ClaimsSet, _ rule: OpaqueTokenRule, _ audiences: [String])
        throws(TokenRejection)
    {
        let json = answer.json
        guard json[member: "aud"] == nil else {
            guard answer.isAddressed(to: audiences) else { throw .audienceMismatch }
            return
        }
        guard let client = json[member: "client_id"], rule.clients.contains(where: { client.isString(equalTo: $0) })
        else {
            throw .audienceMismatch
        }
    }
}
