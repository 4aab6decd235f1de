import JOSE

/// Evidence that exactly these bytes were signed by this key of this issuer, that the key may vouch for them, and that
/// they say these claims. Only with an ``AssumedSignature`` was that taken for granted.
///
/// Nothing in it depends on the time of day, on an audience or on a policy.
public struct SignedToken: Sendable {
    public let verifier: TokenVerifier
    public let claims: ClaimsSet
    public let keyID: String?
}
