/// The checks of a token, in the order in which they are made: the cheapest and most telling first. The first that
/// fails decides what a token with several faults is refused for.
public enum TokenCheck: Sendable, Hashable, CaseIterable, Comparable {
    /// Compact form, base64url, header, `alg`, and the claims' JSON (RFC 7515 §7.1); or that it is no such thing, and
    /// its issuer is asked.
    case form
    /// An opaque token's issuer says that it is active (RFC 7662 §2.2).
    case introspection
    /// `iss`: before any key is looked at, since it decides whose keys count.
    case issuer
    /// The issuer's rules for the header: tokens of other services, `typ`, `kid`, the list of algorithms.
    case header
    /// The key, and whether key and algorithm belong together.
    case key
    /// The signature: the most expensive check, hence last of those that do not rely on the claims.
    case signature
    /// The tokens that the key may verify: the tenant, the key's own issuer, the user flow.
    case origin
    /// `exp`, `nbf`, `iat`, the longest lifetime, and when the user authenticated.
    case times
    case audience
    /// The kind of the token: it is an access token, in an accepted version.
    case kind
    /// The client that it was issued to.
    case client
    case subject
    /// Further rules of the issuer for the claims.
    case claims
    /// The absence of a binding to a key of the token's holder.
    case binding
}

/// A token that was refused: why, and by which check.
public struct TokenRefusal: Error, Sendable {
    public let rejection: TokenRejection
    public let check: TokenCheck
    /// Its claims, proved or not, or its issuer's answer about it; nil where they cannot be read.
    public let claims: ClaimsSet?
    /// The token with a verified signature, although it is rejected. Nil if the signature was not reached, or is
    /// invalid.
    public let signed: SignedToken?
    /// Index of the issuer's `claimChecks` that failed. Nil if another check did.
    public let missed: Int?
    /// Number of checked signatures.
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
    /// The check that is made.
    var check: TokenCheck
    /// Index of the issuer's `claimChecks` that failed.
    var missed: Int?
    /// Number of checked signatures.
    var signatures = 0
}
