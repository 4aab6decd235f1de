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
    /// What the issuer asks of the header: tokens of other services, `typ`, `kid`, its list of algorithms.
    case header
    /// The key, and whether key and algorithm belong together.
    case key
    /// The signature: the most expensive check, hence last of those that do not rely on the claims.
    case signature
    /// What the key may vouch for: the tenant, the key's own issuer, the user flow.
    case origin
    /// `exp`, `nbf`, `iat`, the longest lifetime, and when the user authenticated.
    case times
    case audience
    /// That it is an access token, of a version that is wanted.
    case kind
    /// The client that it was issued to.
    case client
    case subject
    /// What else its issuer's tokens must say.
    case claims
    /// That it is not bound to a key of its holder.
    case binding
}

/// A token that was refused: why, and by which check.
public struct TokenRefusal: Error, Sendable {
    public let rejection: TokenRejection
    public let check: TokenCheck
    /// Its claims, proved or not, or its issuer's answer about it; nil where they cannot be read.
    public let claims: ClaimsSet?
    /// What its signature proved, although it is refused; nil where the signature was not reached, or is bad.
    public let signed: SignedToken?
    /// Which of the issuer's `claimChecks` failed; nil: another check did.
    public let missed: Int?
    /// How many signatures were checked.
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
    /// Which of the issuer's `claimChecks` failed.
    var missed: Int?
    /// How many signatures were checked.
    var signatures = 0
}
