import JOSE

/// Evidence that exactly these bytes were signed by this key of this issuer, and say these claims.
///
/// Nothing in it depends on the time of day, on an audience or on a policy.
public struct SignedToken: Sendable {
    public let issuer: TrustedIssuer
    public let claims: ClaimsSet
    public let keyID: String?

    init(issuer: TrustedIssuer, claims: ClaimsSet, keyID: String?) {
        self.issuer = issuer
        self.claims = claims
        self.keyID = keyID
    }
}
