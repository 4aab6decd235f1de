import JOSE
import NetworkNames

/// An issuer whose access tokens are accepted, and the rules that make one of its tokens acceptable.
///
/// A value without keys: those belong to the key set's lifecycle and change while this does not. Every rule is data and
/// says nothing of any one identity system: a profile is a particular choice of these rules.
public struct TrustedIssuer: Sendable, Hashable {
    /// The operator's name for it, in logs and metrics.
    public let name: String
    /// Accepted values of `iss`; never empty.
    public var identifiers: [IssuerIdentifier]
    /// Values of `iss` that are known mistakes. Each is rejected with its own reason.
    public var refusedIdentifiers: [RefusedIssuer] = []
    /// URLs of the authorization servers, for the protected resource metadata (RFC 9728 §2).
    public var authorizationServers: [String]

    /// The algorithms that its tokens may be signed with; never empty.
    public var algorithms: SignatureAlgorithmSet
    /// Rule that distinguishes an access token of this issuer from its other tokens.
    public var tokenType: TokenTypeRule
    /// Whether a `nonce` in the header marks a token that the platform made for itself, and that only it can verify.
    public var marksForeignTokensByNonce = false
    /// Whether a few keys are tried that fit the algorithm: with a token without `kid`, and where no key of the issuer
    /// has one.
    public var allowsMissingKeyID = false
    /// Keys that are never used, whatever the issuer publishes: by their IDs, or by their thumbprints in base64url (RFC
    /// 7638).
    public var deniedKeys: Set<String> = []
    /// Tokens that a key may verify. A platform's keys can be the same for all of its customers.
    public var keyBinding = KeyBinding.none
    /// Whether any of its key sets may have a token's key, whatever the token says; of two keys with one ID the first
    /// set's is used.
    public var mergesKeySets = false

    /// Rule about the directory (tenant) that a token must come from. Nil if there is none.
    public var directory: DirectoryRule?
    /// Accepted values of `ver`. Nil if any is accepted.
    public var versions: [ClaimScalar]?
    /// Further checks of the claims, in the order in which they are made.
    public var claimChecks: [IssuerCheck] = []
    /// Clients whose tokens are accepted. Nil if those of every client are.
    public var clients: [String]?
    /// Meaning of `aud` in the issuer's tokens.
    public var audience = AudienceRule.resource
    public var subject = SubjectRule()
    /// Whether a token for an organisation also opens rules that ask for none.
    public var organizationUse = OrganizationUse.anywhere
    /// Rule for opaque tokens. Nil if they are rejected.
    public var opaqueTokens: OpaqueTokenRule?

    /// Claims that may contain the scopes; the first claim present counts.
    public var scopeClaims = [ClaimPath(member: "scope"), ClaimPath(member: "scp")]
    /// Prefix of each scope of an API in the token; scopes without it are ignored. Empty if there is no prefix.
    public var scopePrefix = ""
    /// Template for the names by which clients ask for scopes. Nil if they ask by the names in the tokens.
    public var scopeTemplate: ScopeTemplate?
    /// Claims that may contain roles.
    public var roleClaims = [RoleClaim(ClaimPath(member: "roles"))]
    /// Claims that may contain the client's identifier.
    public var clientClaims = [ClaimPath(member: "client_id"), ClaimPath(member: "azp"), ClaimPath(member: "cid")]
    /// Claims that may contain the organisation.
    public var organizationClaims = [ClaimPath(member: "organization_id")]
    /// Prefix of an `aud` that names an organisation. Nil if no `aud` does.
    public var organizationAudiencePrefix: String?
    /// Claims that may contain the tenant.
    public var tenantClaims = [ClaimPath(member: "tid")]
    /// Claim that contains the authentication context class.
    public var contextClassClaim = ClaimPath(member: "acr")

    /// Largest accepted difference between the issuer's clock and ours.
    public var leeway: Duration = .seconds(60)
    /// The longest time from `iat` (or, without one, from now) to `exp`; nil sets no bound.
    public var maxLifetime: Duration?
    /// Whether `auth_time` must be there and in the past.
    public var requiresAuthenticationTime = false
    /// The longest time since the user authenticated; nil sets no bound.
    public var maxAuthenticationAge: Duration?

    /// Form of the challenge for a stronger authentication.
    public var stepUp = StepUpChallenge.standard
    /// Advice for rejections that usually have a common mistake as cause.
    public var hints: [IssuerHint] = []
    /// Advice about a token that is not for the organisation that a rule asks for. Nil if there is none.
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

    /// The first identifier, as it is shown to people.
    public var identifier: String { identifiers.first?.description ?? "" }
}

/// Rule that distinguishes an issuer's access tokens from its ID tokens, logout tokens and the like.
public enum TokenTypeRule: Sendable, Hashable {
    /// The header's `typ` is `at+jwt` or `application/at+jwt`, in any case (RFC 9068 §2.1).
    case accessTokenJWT
    /// All of these hold for its claims.
    case claims([TokenTest])
    /// The operator vouches that this issuer signs nothing else for the resource's audience.
    case any
}

/// Meaning of `aud` in an issuer's tokens.
public enum AudienceRule: Sendable, Hashable {
    /// `aud` names the protected resource (RFC 9068 §2.2).
    case resource
    /// The client claim takes its part: `aud` may be absent, and where it is present it names the resource or one of
    /// the clients.
    case client
    /// `aud` can only be one of these values, whatever the resource is called.
    case fixed([String])
}

/// Rules that a token for an organisation may open.
public enum OrganizationUse: Sendable, Hashable {
    case anywhere
    /// Only by rules that ask for an organisation.
    case onlyWhereAsked
}

/// Rule for the issuer's answers about opaque tokens (RFC 7662).
public struct OpaqueTokenRule: Sendable, Hashable {
    /// Clients whose tokens are accepted if the answer names no audience.
    public let clients: [String]

    public init(clients: [String]) {
        self.clients = clients
    }
}

/// Form of the challenge for a stronger authentication.
public enum StepUpChallenge: Sendable, Hashable {
    /// `insufficient_user_authentication` (RFC 9470).
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
    /// The scopes in a claims set, in its order, without the prefix that the issuer puts before them.
    public func scopes(in claims: ClaimsSet) -> [String] {
        let scopes = claims.strings(in: scopeClaims)
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
        case .client: resource + (clients ?? [])
        }
    }
}
