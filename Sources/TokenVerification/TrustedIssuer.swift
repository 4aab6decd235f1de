import JOSE

/// An issuer whose access tokens are accepted, and the rules that make one of its tokens acceptable.
///
/// A value without keys: those belong to the key set's lifecycle and change while this does not.
public struct TrustedIssuer: Sendable, Hashable {
    /// The operator's name for it, in logs and metrics.
    public let name: String
    /// What `iss` must be, byte for byte (RFC 8414 §2).
    public let identifier: String
    /// The algorithms that its tokens may be signed with; never empty.
    public var algorithms: SignatureAlgorithmSet
    /// How an access token of this issuer is told from its other tokens.
    public var tokenType: TokenTypeRule
    /// Where scopes are looked for; the first claim present counts.
    public var scopeClaims = [ClaimPath(member: "scope"), ClaimPath(member: "scp")]
    /// Where roles are looked for.
    public var roleClaims = [ClaimPath(member: "roles")]
    /// Where the client's identifier is looked for.
    public var clientClaims = [ClaimPath(member: "client_id"), ClaimPath(member: "azp"), ClaimPath(member: "cid")]
    /// Where the organisation is looked for.
    public var organizationClaims = [ClaimPath(member: "organization_id")]
    /// Where the tenant is looked for.
    public var tenantClaims = [ClaimPath(member: "tid")]
    /// How far the issuer's clock and ours may differ.
    public var leeway: Duration = .seconds(60)
    /// The longest time from `iat` (or, without one, from now) to `exp`; nil sets no bound.
    public var maxLifetime: Duration?
    /// Whether a token without `kid` is tried with the only key that fits its algorithm.
    public var allowsMissingKeyID = false
    /// Keys that are never used, whatever the issuer publishes.
    public var deniedKeyIDs: Set<String> = []

    public init(name: String, identifier: String, algorithms: SignatureAlgorithmSet, tokenType: TokenTypeRule) {
        self.name = name
        self.identifier = identifier
        self.algorithms = algorithms
        self.tokenType = tokenType
    }
}

/// How an issuer's access tokens are told from its ID tokens, logout tokens and the like.
public enum TokenTypeRule: Sendable, Hashable {
    /// The header's `typ` is `at+jwt` or `application/at+jwt`, in any case (RFC 9068 §2.1).
    case accessTokenJWT
    /// A claim has one of these values; an array claim has one of them among its elements.
    case claim(ClaimPath, oneOf: [ClaimScalar])
    /// The operator vouches that this issuer signs nothing else for the resource's audience.
    case any
}
