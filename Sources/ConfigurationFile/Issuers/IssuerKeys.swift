import JOSE
import KeySets
import TokenIntrospection
import TokenVerification

extension TrustedIssuer: Defaulted {
    static var defaults: Self { .unreadable("") }
}

/// Keys that every issuer may have. Profiles may change their forms.
struct IssuerKeys: SectionKeys {
    static let section = SectionReference("issuers", "The keys that every issuer may have.", of: IssuerKeys.self)

    /// Keys that are listed after those of the profile, or of an issuer without one.
    var shared: [NamedKey] { all.filter { $0.name != profile.name }.map(\.named) }

    var profile = Key(
        "profile", form: .text("a profile's name"),
        .meaning("the issuer is plain OpenID Connect or RFC 9068, and its other keys describe it"),
        "The identity system of the issuer.", example: "logto")
    var jwksURI = Key(
        "jwks_uri", form: .list(.text("a URL")), .meaning("it is found by discovery, or the profile knows it"),
        "URL of the key set, or a list of URLs whose keys are all used; not together with `jwks_file` or `keys`.",
        example: "https://id.example.com/keys")
    var jwksFile = Key(
        "jwks_file", form: .text("a path"), .meaning("the key set is fetched"),
        "A file with the key set; not together with `jwks_uri` or `keys`. It is read again when it changes.",
        example: "./keys.json")
    var pemKeys = Key(
        "keys", form: .list(.section(PEMKeyKeys.section)), .meaning("the key set is fetched, or is a file"),
        "Public keys in PEM, each in a file; not together with `jwks_uri` or `jwks_file`. "
            + "An issuer without a profile then needs `algorithms`.",
        example: "[{kid: a, pem_file: ./a.pem}]")
    let realms = Key(
        "realms", form: .oneOf([.list(.text("a realm's name")), .section(RealmsKeys.section)]),
        .meaning("the issuer has a single address"),
        "The realms of an issuer whose address has `{realm}`: a list, or a pattern of names. Each is an issuer of its own, and the tenant of "
            + "its tokens. With a pattern, whoever can create such a realm becomes an issuer; `check` warns.",
        example: "[acme, globex]")
    let most = Key(
        "most", .integer(1...RealmKeySetsConfiguration.greatestMost),
        .meaning("there are \(RealmKeySetsConfiguration.usualMost)"),
        "The most realms whose keys are held, with a pattern of names. Tokens of further realms are answered 503.",
        example: "200")
    let refresh = Key(
        "refresh", form: .section(RefreshKeys.section),
        .meaning("`Cache-Control` decides, from 5 minutes to 6 hours; Microsoft's keys are fetched every hour"),
        "How often the key set is fetched again.", example: "{min: 10m, max: 1h}")
    let staleFor = Key(
        "stale_for", .duration(.seconds(60)...KeySetConfiguration.longestStaleLimit),
        .value(KeySetConfiguration.usualStaleLimit),
        "How long old keys are used while fetching fails. After that, tokens are answered 503.", example: "2d")
    let leeway = Setting(
        "leeway", \TrustedIssuer.leeway, .duration(.zero ... .seconds(300)),
        "How far the issuer's clock and this one may differ, for `exp`, `nbf` and `iat`.", example: "30s")
    let maxLifetime = Setting(
        "max_lifetime", \TrustedIssuer.maxLifetime, .duration(.seconds(1) ... .seconds(10 * 365 * 86_400)),
        without: .meaning("there is no bound"),
        "The longest time from `iat` to `exp`; a token that is valid for longer is refused.", example: "24h")
    let allowMissingKeyID = Setting(
        "allow_missing_kid", \TrustedIssuer.allowsMissingKeyID, .boolean,
        "Accepts tokens without `kid`, and any `kid` if no key of the issuer has one. At most four keys may fit; `check` warns.",
        example: "true")
    let deniedKeys = Key(
        "denied_keys",
        KeyForm(.list(.oneOf([.text("a key ID or thumbprint"), .section(TextKeys.section)]), mayBeEmpty: true)) {
            $0.isList && $0.elements()?.isEmpty == true ? [] : $0.comparedTexts(of: "key ID")?.warned(.key)
        },
        .meaning("no key is"),
        "Keys that are refused although the issuer publishes them, by ID (`kid`) or thumbprint (RFC 7638, base64url).",
        example: "[2024-01]")
    let withoutAudience = Key(
        "without_audience", form: .section(WithoutAudienceKeys.section), .meaning("every token needs `aud`"),
        "Clients whose tokens need no `aud`. Such a token opens every resource that lists this issuer; `check` warns.",
        example: "{clients: [web-app]}")
    let require = Key(
        "require", form: .section(IssuerRequirementKeys.section), .meaning("nothing more is asked for"),
        "Claims and requirements that every token of this issuer must meet.",
        example: "{claims: {environment: production}}")
    let caFile = Key(
        "ca_file", KeyForm(.text("a path")) { $0.certificateFile() }, .meaning("it is the system's list"),
        "The authorities in PEM that the issuer's certificate must come from.", example: "./ca.pem")
    let plainHTTP = Key(
        "plain_http", .boolean, default: false,
        "Permits `http://` to other machines. An attacker on the network path can then replace keys; `check` warns.",
        example: "true")
    let authorizationFile = Key(
        "authorization_file", KeyForm(.text("a path"), KeySetCredentialsReader.authorizationFile),
        .meaning("none is sent"),
        "A file with the `Authorization` for fetching the keys, or a bearer token alone. It is read anew for each fetch, and sent only to "
            + "`jwks_uri` as it is written, or to the issuer's own origin.", example: "./keys.token")
    let clientCertificate = Key(
        "client_certificate", form: .section(CertificateKeys.section), .meaning("none is shown"),
        "The certificate that is shown where the keys are fetched, under the same conditions as `authorization_file`.",
        example: "{certificate: ./client.pem, key: ./client.key}")
    var opaque = Key(
        "opaque", form: .oneOf([.words(["reject"]), .section(OpaqueKeys.section)]), .value("reject"),
        "What happens to opaque tokens: rejected, or introspected at the issuer.",
        example:
            "{introspect: {client_id: gateway, client_secret_file: ./secret, endpoint: \"https://id.example.com/introspect\"}}"
    )
}

/// Configuration keys of `refresh`.
final class RefreshKeys: SectionKeys {
    static let section = SectionReference(
        "refresh",
        "How often a key set is fetched again: after four fifths of the time for which the response is fresh.",
        of: RefreshKeys.self)

    private static let bounds = KeyForm.duration(.seconds(30)...KeySetConfiguration.longestStaleLimit)

    let min = Key(
        "min", RefreshKeys.bounds, .meaning("it is 5 minutes, or an hour for Microsoft's"),
        "The least time that an answer is fresh for, whatever `Cache-Control` says.", example: "10m")
    let max = Key(
        "max", RefreshKeys.bounds, .meaning("it is 6 hours, or an hour for Microsoft's"),
        "The longest time that an answer is fresh for, whatever `Cache-Control` says.", example: "1h")
}

/// Configuration keys of `without_audience`.
final class WithoutAudienceKeys: SectionKeys {
    static let section = SectionReference(
        "without_audience",
        "Tokens whose `aud` is absent, null or an empty list count as tokens for each resource of the issuer if their client is listed. "
            + "Not with `token_type: any`, which accepts ID tokens. Any other `aud` is compared as usual.",
        of: WithoutAudienceKeys.self)

    let clients = Key(
        "clients", .compared("a client ID", of: "client", .client),
        .refused(hint: "list the apps whose tokens have no `aud`"),
        "The clients, as the token's client claim names them.", example: "[web-app]")
}

/// Configuration keys of an issuer without a profile, without those of every issuer.
final class GenericIssuerKeys: SectionKeys {
    static let section = SectionReference(
        "Issuers without a profile",
        "An issuer of OpenID Connect or RFC 9068 without a profile; its keys describe its tokens."
    ) { named + IssuerKeys().shared }

    /// Names of all permitted keys. `profile` is included, so that a misspelling of it is recognized.
    static var known: [String] { [IssuerKeys().profile.name] + section.keys.map(\.name) }

    /// Keys that describe the tokens. With a profile they are not permitted, because the profile knows the tokens.
    var ofTokens: [any SectionKey] {
        [algorithms, tokenType, scopeClaims, scopeSeparator, roleClaims, clientClaims, subjectClaims]
    }

    let issuer = Key(
        "issuer", form: .text("a URL, or any text"),
        .refused(hint: "write the `iss` of its tokens, such as `https://id.example.com`"),
        "The `iss` of its tokens, byte for byte; also where its metadata is found. "
            + "With `jwks_uri`, `jwks_file` or `keys` it may be any text. `{realm}` as a segment stands for each of `realms`.",
        example: "https://id.example.com")
    let algorithms = Key(
        "algorithms", AlgorithmsReader.form, default: [.rs256, .es256],
        "The signature algorithms that are accepted. Required with `keys`, because a key in PEM does not name them.",
        example: "[ES256, EdDSA]")
    let tokenType = Key(
        "token_type",
        KeyForm(.oneOf([.words(["at+jwt", "any"]), .section(TokenTypeKeys.section)]), TokenTypeReader.read),
        .refused(hint: "write \(TokenTypeReader.forms)"),
        "What distinguishes access tokens from the issuer's other tokens. `any` accepts ID tokens too; `check` warns.",
        example: "at+jwt")
    let scopeClaims = Setting(
        "scope_claims", \TrustedIssuer.scopeClaims, .claimPaths, "Where the scopes are.",
        example: "[scope, permissions]")
    let scopeSeparator = Setting(
        "scope_separator", \TrustedIssuer.scopeSeparator, .wordSeparator,
        "What stands between the scopes where they are one text: `\",\"`, `\";\"`, `\"|\"`, or a space. Spaces beside it are ignored.",
        example: "\",\"")
    let roleClaims = Setting(
        "role_claims", \TrustedIssuer.roleClaims,
        KeyForm.claimPathsWithElements.map { $0.map { RoleClaim($0) } },
        without: KeyForm.claimPaths.absence(TrustedIssuer.defaults.roleClaims.map(\.path)),
        "Where the roles are. A level `*` stands for every element of an array, as in `/authorities/*/authority`.",
        example: "[realm_access.roles]")
    let clientClaims = Setting(
        "client_claims", \TrustedIssuer.clientClaims, .claimPaths,
        "Where the client is; the first that is there counts.", example: "[azp]")
    let subjectClaims = Setting(
        "subject_claims", \TrustedIssuer.subject.claims, .subjectClaims,
        "Where the subject is; the first that is there counts, and each that is there must be a valid subject.",
        example: "[user_id, sub]")
    let clients = Setting(
        "clients", \TrustedIssuer.clients, .compared("a client ID", of: "client", .client),
        without: .meaning("every client of the issuer may"), "The clients that may use the API.",
        example: "[web-app, mobile-app]")
}

/// Configuration keys of `token_type` in its mapping form.
final class TokenTypeKeys: SectionKeys {
    static let section = SectionReference(
        "token_type", "The claim that distinguishes access tokens from other tokens.", of: TokenTypeKeys.self)

    let claim = Key(
        "claim", KeyForm(.text("a claim's name or path")) { $0.claimPath() },
        .refused(hint: "name the claim that distinguishes access tokens from others"), "The claim.",
        example: "token_use")
    let value = Key(
        "value", KeyForm(.list(.claimValue)) { $0.someElements(of: "value") },
        .refused(hint: "write what the claim must be"), "What it must be, or one of a list.", example: "access")
}

/// Keys of an issuer's `require`.
///
/// Requirements on claims are checked when a token is verified. The other requirements are added to every rule.
final class IssuerRequirementKeys: SectionKeys {
    static let section = SectionReference(
        "require",
        "Claims that every token of the issuer must have (401 `claim_not_allowed`), and requirements added to every rule.",
        of: IssuerRequirementKeys.self)

    private static let ofRules = RequirementKeys()

    var natural: [any SectionKey] { [allOf] }

    let claims = Key(
        "claims", PatternKeys.claims, .meaning("nothing is asked for"),
        "Claims with accepted values or patterns. Each claim must match at least one of them.",
        example: "{environment: [production, staging]}")
    let not = IssuerRequirementKeys.ofRules.not
    let absent = IssuerRequirementKeys.ofRules.absent
    let allOf = IssuerRequirementKeys.ofRules.allOf
    let anyOf = IssuerRequirementKeys.ofRules.anyOf
    let text = IssuerRequirementKeys.ofRules.text
    let roles = IssuerRequirementKeys.ofRules.roles
    let clients = IssuerRequirementKeys.ofRules.clients
    let organization = Key(
        "organization", form: TextKeys.list("an organization"), .meaning("nothing is asked for"),
        "The organization that the token must be for.", example: "[\"org_1\", \"org_2\"]")
    let acr = IssuerRequirementKeys.ofRules.acr
    let maxAge = IssuerRequirementKeys.ofRules.maxAge
}

/// Configuration keys of `opaque` in its mapping form.
final class OpaqueKeys: SectionKeys {
    static let section = SectionReference(
        "opaque", "Opaque tokens are introspected at their issuer (RFC 7662).", of: OpaqueKeys.self)

    let introspect = Key(
        "introspect", form: .section(IntrospectionKeys.section), .refused(hint: "write \(OpaqueReader.forms)"),
        "Client credentials and endpoint for introspection.",
        example: "{client_id: gateway, client_secret_file: ./secret, endpoint: \"https://id.example.com/introspect\"}")
}

/// Configuration keys of `introspect`.
final class IntrospectionKeys: SectionKeys {
    static let section = SectionReference(
        "introspect", "Introspection of opaque tokens at the issuer.", of: IntrospectionKeys.self)

    var natural: [any SectionKey] { [endpoint, clientID, clientSecretFile] }

    let clientID = Key(
        "client_id", KeyForm(.text("a client ID")) { $0.someText(expected: "a client's id") },
        .refused(hint: "name a client that may introspect tokens"),
        "The client ID that Bearward uses for introspection.", example: "gateway")
    let clientSecretFile = Key(
        "client_secret_file", KeyForm(.text("a path"), OpaqueReader.secretFile),
        .refused(hint: "write the path of a file with that client's secret"),
        "A file with that client's secret. It is read again when it changes.", example: "./secret")
    let endpoint = Key(
        "endpoint", form: .text("a URL"),
        .refusedUnless(
            "the issuer's keys are found by discovery, or the profile is `logto`",
            hint: "no metadata of this issuer is read, so write its introspection endpoint (RFC 7662), such as "
                + "`https://id.example.com/introspect`"),
        "URL of the introspection endpoint. With discovery, the issuer's metadata names it.",
        example: "https://id.example.com/introspect")
    let clients = Key(
        "clients",
        KeyForm(.list(.text("a client ID"), mayBeEmpty: true)) { $0.elements()?.compactMap { $0.someText() } },
        .meaning("answers without an audience are refused"),
        "Clients whose tokens are accepted if the introspection response names no audience.", example: "[web-app]")
    /// A cached response outlives the revocation of its token, so this bounds how long a revoked token is accepted.
    let cache = Key(
        "cache", .duration(.zero ... .seconds(3600)), .value(IntrospectionConfiguration.usualCacheLimit),
        "How long an introspection response is cached. A revoked token is accepted for up to this time.", example: "5s")
}
