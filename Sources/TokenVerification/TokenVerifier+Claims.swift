import StrictJSON

extension TokenVerifier {
    /// What the signed claims say, judged now and for this resource.
    ///
    /// - Parameter progress: says of each check that it is made, before it is.
    func judgeClaims(
        of token: SignedToken, audiences: [String], at now: NumericDate, _ progress: inout TokenProgress
    ) throws(TokenRejection) -> VerifiedToken {
        let claims = token.claims
        progress.check = .times
        let expiration = try judgeTimes(of: claims, at: now)
        progress.check = .audience
        guard accepts(claims, audiences: audiences) else { throw .audienceMismatch }
        progress.check = .kind
        try judgeKind(of: claims)
        progress.check = .client
        try judgeClient(of: claims)
        progress.check = .subject
        let subject = try claims.subject(issuer.subject)
        progress.check = .claims
        try judgeOtherClaims(of: claims, &progress)
        if let tokenID = claims.json[member: "jti"], tokenID.identifier == nil { throw .claimInvalid }
        progress.check = .binding
        try judgeBinding(of: claims)
        return VerifiedToken(
            verifier: self, claims: claims, keyID: token.keyID, expiration: expiration, subject: subject)
    }

    /// `exp`, `nbf` and `iat` against `now`, with the issuer's leeway (RFC 7519 §4.1.4–4.1.6); then when the user
    /// authenticated.
    private func judgeTimes(of claims: ClaimsSet, at now: NumericDate) throws(TokenRejection) -> NumericDate {
        guard let expiration = try claims.date("exp"), expiration <= .latest else { throw .claimInvalid }
        try judgeTimes(of: claims, until: expiration, at: now)
        return expiration
    }

    /// - Parameter expiration: `exp`. Nil if the issuer, asked just now, set none.
    func judgeTimes(
        of claims: ClaimsSet, until expiration: NumericDate?, at now: NumericDate
    ) throws(TokenRejection) {
        let rules = issuer.times
        if let expiration { try refuse(rules.rejection(ofExpiration: expiration, at: now)) }
        let notBefore = try claims.date("nbf")
        let issued = try claims.date("iat")
        for start in [notBefore, issued] {
            if let start { try refuse(rules.rejection(ofStart: start, until: expiration, at: now)) }
        }
        try refuse(rules.rejection(ofLifetimeFrom: issued, until: expiration, at: now))
        let authenticated = claims.json[member: "auth_time"]?.real.map(NumericDate.init(seconds:))
        try refuse(rules.rejection(ofAuthentication: authenticated, at: now))
    }

    private func refuse(_ rejection: TokenRejection?) throws(TokenRejection) {
        if let rejection { throw rejection }
    }

    /// Whether some of the token's audiences are the resource's, byte for byte (RFC 7519 §4.1.3).
    func accepts(_ claims: ClaimsSet, audiences: [String]) -> Bool {
        needsNoAudience(claims) || claims.isAddressed(to: issuer.audiences(naming: audiences))
    }

    /// Whether a token without `aud` is complete: the client takes its part. One that names another audience was made
    /// for that audience.
    func needsNoAudience(_ claims: ClaimsSet) -> Bool {
        if case .client = issuer.audience { claims.json[member: "aud"] == nil } else { false }
    }

    private func judgeKind(of claims: ClaimsSet) throws(TokenRejection) {
        // A security event token, such as a logout token, reports an event and grants nothing (RFC 8417 §2.2).
        guard claims.json[member: "events"] == nil else { throw .notAccessToken }
        if case .claims(let rules) = issuer.tokenType, !rules.allSatisfy({ $0.holds(for: claims) }) {
            throw .notAccessToken
        }
        guard let versions = issuer.versions else { return }
        guard let version = claims.json[member: "ver"], versions.contains(where: { $0.equals(version) }) else {
            throw .versionNotAllowed
        }
    }

    func judgeClient(of claims: ClaimsSet) throws(TokenRejection) {
        guard let clients = issuer.clients else { return }
        guard let client = claims.identifier(of: issuer.clientClaims),
            clients.contains(where: { $0.utf8.elementsEqual(client.utf8) })
        else { throw .clientNotAllowed }
    }

    func judgeOtherClaims(of claims: ClaimsSet, _ progress: inout TokenProgress) throws(TokenRejection) {
        progress.missed = issuer.claimChecks.firstIndex { !$0.rule.holds(for: claims) }
        if let missed = progress.missed { throw issuer.claimChecks[missed].rejection }
    }

    /// A token bound to its holder's key is worthless to anyone else, so it must not work as a plain bearer token. What
    /// is in `cnf` does not matter: a binding that is not understood is one.
    func judgeBinding(of claims: ClaimsSet) throws(TokenRejection) {
        guard claims.json[member: "cnf"] == nil else { throw .boundToken }
    }
}
