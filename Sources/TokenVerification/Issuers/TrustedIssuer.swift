import JOSE
import NetworkNames

/// An issuer whose access tokens are accepted, and the rules that make one of its tokens acceptable.
///
/// Contains no keys: they belong to the key set's lifecycle and change while this value does not. Every rule is data
/// and independent of any identity system. A profile is a particular choice of these rules.
public struct TrustedIssuer: Sendable, Hashable {
    /// The operator's name for the issuer, in logs and metrics.
    public let name: String
    /// Accepted values of `iss`; never empty.
    public var identifiers: [IssuerIdentifier]
    /// The issuer's realms, each an issuer of its own. With them, a token's tenant is its realm. Nil if there are
    /// none.
    public var realms: RealmPattern?
    /// Values of `iss` that are known mistakes. Each is rejected with its own reason.
    public var refusedIdentifiers: [RefusedIssuer] = []
    /// URLs of the authorization servers, for the protected resource metadata (RFC 9728 §2).
    public var authorizationServers: [String]

    /// Algorithms with which the issuer's tokens may be signed; never empty.
    public var algorithms: SignatureAlgorithmSet
    /// Rule that distinguishes the issuer's access tokens from its other tokens.
    public var tokenType: TokenTypeRule
    /// True if a `nonce` in the header marks a token that the platform made for itself, and that only the platform can
    /// verify.
    public var marksForeignTokensByNonce = false
    /// True if a few keys that fit the algorithm are tried for a token without `kid`. If no key of the issuer has a
    /// `kid`, they are tried for all tokens.
    public var allowsMissingKeyID = false
    /// Keys that are never used, even if the issuer publishes them: their IDs, or their thumbprints in base64url (RFC
    /// 7638).
    public var deniedKeys: Set<String> = []
    /// Rule for the tokens that a key may verify. A platform may use the same keys for all of its customers.
    public var keyBinding = KeyBinding.none
    /// True if a token's key is looked up in all key sets of the issuer, regardless of the token's claims. If several
    /// sets have a key with this ID, the first set's key is used.
    public var mergesKeySets = false

    /// Rule for the signer that the header names. Nil if the issuer itself signs its tokens.
    public var signerRule: SignerRule?
    /// Whether the parts of the issuer's tokens may end with padding.
    public var padding = CompactJWS.Padding.refused

    /// Rule about the directory (tenant) that a token must come from. Nil if the issuer has no directories.
    public var directory: DirectoryRule?
    /// Accepted values of `ver`. Nil if any is accepted.
    public var versions: [ClaimScalar]?
    /// Further checks of the claims, in the order in which they are made.
    public var claimChecks: [IssuerCheck] = []
    /// Clients whose tokens are accepted. Nil if those of every client are.
    public var clients: [String]?
    /// Meaning of `aud` in the issuer's tokens.
    public var audience = AudienceRule.resource
    /// Clients whose tokens need no `aud`: without one, their token counts as a token for each resource that accepts
    /// the issuer. Empty if every token needs `aud`. Applies only with ``AudienceRule/resource``.
    public var clientsWithoutAudience: [String] = []
    public var subject = SubjectRule()
    /// Rules that a token for an organization may open: all, or only those that require an organization.
    public var organizationUse = OrganizationUse.anywhere
    /// Rule for opaque tokens. Nil if they are rejected.
    public var opaqueTokens: OpaqueTokenRule?

    /// Claims that may contain the scopes; the first claim present counts.
    public var scopeClaims = [ClaimPath(member: "scope"), ClaimPath(member: "scp")]
    /// Separator of the scopes in a claim that is one text.
    public var scopeSeparator = WordSeparator.space
    /// Prefix of each scope of an API in the token; scopes without it are ignored. Empty if there is no prefix.
    public var scopePrefix = ""
    /// Template for the names that clients use to request scopes. Nil if they use the names in the tokens.
    public var scopeTemplate: ScopeTemplate?
    /// Claims that may contain roles.
    public var roleClaims = [RoleClaim(ClaimPath(member: "roles"))]
    /// Claims that may contain the client's identifier.
    public var clientClaims = [ClaimPath(member: "client_id"), ClaimPath(member: "azp"), ClaimPath(member: "cid")]
    /// Claims that may contain the organization.
    public var organizationClaims = [ClaimPath(member: "organization_id")]
    /// Prefix of an `aud` that names an organization. Nil if no `aud` does.
    public var organizationAudiencePrefix: String?
    /// Claims that may contain the tenant.
    public var tenantClaims = [ClaimPath(member: "tid")]
    /// Claim that contains the authentication context class.
    public var contextClassClaim = ClaimPath(member: "acr")

    /// Accepted difference between the issuer's clock and this machine's.
    public var leeway: Duration = .seconds(60)
    /// Longest time from `iat` to `exp`. Without `iat` it counts from now. Nil sets no bound.
    public var maxLifetime: Duration?
    /// True if `auth_time` must be present and in the past.
    public var requiresAuthenticationTime = false
    /// Longest time since the user authenticated. Nil sets no bound.
    public var maxAuthenticationAge: Duration?

    /// Form of the challenge that asks clients for a stronger authentication.
    public var stepUp = StepUpChallenge.standard
    /// Advice for rejections that are usually caused by a common mistake.
    public var hints: [IssuerHint] = []
    /// Advice about a token that is not for the organization that a rule requires. Nil if there is none.
    public var organizationHint: String?

    public init(
        name: String, identifiers: [IssuerIdentifier], algorithms: SignatureAlgorithmSet, tokenType: TokenTypeRule
    ) {
        self.name = name
        self.identifiers = identifiers
        self.algorithms = algorithms
        self.tokenType = tokenType
        // An identifier of an authorization server is a URL (RFC 8414 §2); `iss` may be any text (RFC 7519 §2).
        authorizationServers = identifiers.compactMap(\.exactText).filter { HTTPURL($0) != nil }
    }

    /// An issuer with one identifier and one key set.
    public init(name: String, identifier: String, algorithms: SignatureAlgorithmSet, tokenType: TokenTypeRule) {
        self.init(name: name, identifiers: [IssuerIdentifier(identifier)], algorithms: algorithms, tokenType: tokenType)
    }

    /// The first identifier as text, for display.
    public var identifier: String { identifiers.first?.description ?? "" }
}

/// Rule that distinguishes an issuer's access tokens from its ID tokens, logout tokens and others.
public enum TokenTypeRule: Sendable, Hashable {
    /// An access token's header has the `typ` `at+jwt` or `application/at+jwt`, in any case (RFC 9068 §2.1).
    case accessTokenJWT
    /// The token's claims pass all of these tests.
    case claims([TokenTest])
    /// No check. The operator vouches that this issuer signs no other tokens for the resource's audience.
    case any
}

/// Meaning of `aud` in an issuer's tokens.
public enum AudienceRule: Sendable, Hashable {
    /// `aud` names the protected resource (RFC 9068 §2.2).
    case resource
    /// The client replaces the audience: `aud` may be absent. If it is present, it names the resource or one of the
    /// clients.
    case client
    /// `aud` must name one of these, regardless of the resource's identifier.
    case fixed([String])
    /// `aud` is not read: the signer in the header says for whom the token was made (``SignerRule``).
    case signer
}

/// Rules that a token for an organization may open.
public enum OrganizationUse: Sendable, Hashable {
    case anywhere
    /// Only rules that require an organization.
    case onlyWhereAsked
}

/// Rule for opaque tokens, applied to the issuer's introspection answer (RFC 7662).
public struct OpaqueTokenRule: Sendable, Hashable {
    /// Clients whose tokens are accepted if the answer names no audience.
    public let clients: [String]

    public init(clients: [String]) {
        self.clients = clients
    }
}

/// Form of the challenge that asks clients for a stronger authentication.
public enum StepUpChallenge: Sendable, Hashable {
    /// The error `insufficient_user_authentication` (RFC 9470).
    case standard
    /// Entra's claims challenge, for clients that announce that they understand it; the standard one for others.
    case claimsRequest(realm: String, authorizationURI: String)
}

/// Advice for the operator about a rejection.
public struct IssuerHint: Sendable, Hashable {
    public let rejection: TokenRejection
    /// Test that a token must meet for the advice to apply. Nil if it applies to all.
    public let condition: TokenTest?
    public let text: String

    public init(_ rejection: TokenRejection, if condition: TokenTest? = nil, _ text: String) {
        self.rejection = rejection
        self.condition = condition
        self.text = text
    }
}

extension TrustedIssuer {
    /// The scopes in a claims set, in its order, without ``scopePrefix``. Scopes without the prefix are left out.
    func scopes(in claims: ClaimsSet) -> [String] {
        let scopes = claims.words(in: scopeClaims, scopeSeparator)
        guard !scopePrefix.isEmpty else { return scopes }
        return scopes.filter { $0.utf8.starts(with: scopePrefix.utf8) }.map {
            String($0.utf8.dropFirst(scopePrefix.utf8.count)) ?? ""
        }
    }
}

extension TrustedIssuer {
    /// Accepted values of `aud` in the issuer's tokens for a resource.
    ///
    /// - Parameter resource: the audiences that name the resource.
    public func audiences(naming resource: [String]) -> [String] {
        switch audience {
        case .resource: resource
        case .fixed(let fixed): fixed
        case .signer: []
        case .client: resource + (clients ?? [])
        }
    }
}
