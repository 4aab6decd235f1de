import JWTKit

/// The claims that Bearward checks too, checked as jwt-kit's documentation shows.
struct AccessTokenClaims: JWTPayload {
    static let audience = "https://shopping.your-app.com/api"

    let iss: IssuerClaim
    let aud: AudienceClaim
    let exp: ExpirationClaim
    let sub: SubjectClaim
    let scope: String

    func verify(using _: some JWTAlgorithm) throws {
        try exp.verifyNotExpired()
        try aud.verifyIntendedAudience(includes: Self.audience)
        guard iss.value.hasPrefix("https://") else {
            throw JWTError.claimVerificationFailure(failedClaim: iss, reason: "not trusted")
        }
    }
}
