/// The checks of a token, in the order in which they are made: the cheapest and most informative first. The first check
/// that fails determines the rejection.
public enum TokenCheck: Sendable, Hashable, CaseIterable, Comparable {
    /// Compact form, base64url, header, `alg`, and the claims' JSON (RFC 7515 §7.1). For an opaque token, whether its
    /// issuer can be asked about it.
    case form
    /// The introspection answer that an opaque token is active (RFC 7662 §2.2).
    case introspection
    /// `iss`. Checked before any key is looked up, because it determines whose keys are used.
    case issuer
    /// The header: no token of another service (`nonce`), and accepted `typ`, `kid` and algorithm.
    case header
    /// The key: it is found, and it fits the algorithm.
    case key
    /// The signature. The most expensive check, so it is the last before the checks that rely on signed claims.
    case signature
    /// The origin: the key may verify tokens of this tenant, issuer and user flow.
    case origin
    /// The times: `exp`, `nbf`, `iat`, the longest lifetime, and `auth_time`.
    case times
    case audience
    /// The kind of the token: it is an access token, in an accepted version.
    case kind
    /// The client that the token was issued to.
    case client
    case subject
    /// Further claims that the issuer's rules require.
    case claims
    /// The absence of a binding to a key of the token's holder.
    case binding
}

/// Rejection of a token: the reason, and the check that failed.
public struct TokenRefusal: Error, Sendable {
    public let rejection: TokenRejection
    public let check: TokenCheck
    /// The token's claims, verified or not, or its issuer's introspection answer. Nil if they cannot be read.
    public let claims: ClaimsSet?
    /// The token with a verified signature, although it is rejected. Nil if the signature was not reached, or is
    /// invalid.
    public let signed: SignedToken?
    /// Index of the issuer's `claimChecks` that failed. Nil if another check did.
    public let missed: Int?
    /// Number of signatures that were checked.
    public let signatures: Int

    public init(
        _ rejection: TokenRejection, _ check: TokenCheck, claims: ClaimsSet? = nil, signed: SignedToken? = nil,
        missed: Int? = nil,
        signatures: Int = 0
    ) {
        self.signatures = signatures
        self.rejection = rejection
        self.check = check
        self.claims = claims
        self.signed = signed
        self.missed = missed
    }
}

/// The progress of a token's checks.
struct TokenProgress {
    /// The current check.
    var check: TokenCheck
    /// Index of the issuer's `claimChecks` that failed. Nil if none did.
    var missed: Int?
    /// Number of signatures that were checked.
    var signatures = 0
}
