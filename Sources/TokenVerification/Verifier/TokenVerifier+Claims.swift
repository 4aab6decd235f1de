import JOSE
import StrictJSON

extension TokenVerifier {
    /// Checks the signed claims, now and for this resource.
    ///
    /// - Parameter progress: records each check before it is made.
    func judgeClaims(
        of token: SignedToken, audiences: [String], at now: NumericDate, _ progress: inout TokenProgress
    ) throws(TokenRejection) -> VerifiedToken {
        let claims = token.claims
        progress.check = .times
        let expiration = try judgeTimes(of: claims, at: now)
        progress.check = .audience
        guard accepts(claims, audiences: audiences) else { throw .audienceMismatch }
        progress.check = .kind
        try judge(claims, kindChecks)
        progress.check = .client
        try judge(claims, clientChecks)
        progress.check = .subject
        let subject = try claims.subject(issuer.subject)
        progress.check = .claims
        try judgeOtherClaims(of: claims, &progress)
        try judge(claims, TrustedIssuer.tokenIDChecks)
        progress.check = .binding
        try judge(claims, TrustedIssuer.bindingChecks)
        return VerifiedToken(
            verifier: self, claims: claims, keyID: token.keyID, expiration: expiration, subject: subject)
    }

    /// Checks `exp`, `nbf` and `iat` against `now`, with the issuer's leeway (RFC 7519 §4.1.4–4.1.6), then `auth_time`.
    /// Returns `exp`.
    private func judgeTimes(of claims: ClaimsSet, at now: NumericDate) throws(TokenRejection) -> NumericDate {
        guard let expiration = try claims.date("exp"), expiration <= .latest else { throw .claimInvalid }
        try judgeTimes(of: claims, until: expiration, at: now)
        return expiration
    }

    /// - Parameter expiration: `exp`. Nil if an introspection answer has none.
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

    /// True if one of the token's audiences names the resource, byte for byte (RFC 7519 §4.1.3), or the token needs
    /// none.
    func accepts(_ claims: ClaimsSet, audiences: [String]) -> Bool {
        issuer.audienceTest(issuer.audiences(naming: audiences)).holds(for: claims)
    }

    /// Makes the checks in their order, and throws the rejection of the first that fails.
    ///
    /// - Parameter header: the token's header, for checks of the header.
    func judge(
        _ claims: ClaimsSet, _ checks: [IssuerCheck], header: ProtectedHeader? = nil
    ) throws(TokenRejection) {
        for check in checks where !check.test.holds(for: claims, header: header) { throw check.rejection }
    }

    func judgeOtherClaims(of claims: ClaimsSet, _ progress: inout TokenProgress) throws(TokenRejection) {
        progress.missed = issuer.claimChecks.firstIndex { !$0.test.holds(for: claims) }
        if let missed = progress.missed { throw issuer.claimChecks[missed].rejection }
    }
}
