import JOSE
import KeySets
import TokenIntrospection
import TokenVerification

/// The keys that every issuer may have.
enum IssuerKey: String, ConfigurationKey {
    case profile
    case jwksURI = "jwks_uri"
    case jwksFile = "jwks_file"
    case refresh
    case staleFor = "stale_for"
    case leeway
    case maxLifetime = "max_lifetime"
    case allowMissingKeyID = "allow_missing_kid"
    case deniedKeys = "denied_keys"
    case require
    case caFile = "ca_file"
    case plainHTTP = "plain_http"
    case authorizationFile = "authorization_file"
    case clientCertificate = "client_certificate"
    case opaque

    static let section = SectionReference("issuers", "The keys that every issuer may have.", of: IssuerKey.self)

    /// Behind those of the profile, or of an issuer without one.
    static var shared: [IssuerKey] { allCases.filter { $0 != .profile } }

    private static let longestLifetime = Duration.seconds(10 * 365 * 86_400)

    var reference: KeyReference {
        switch self {
        case .profile, .jwksURI, .jwksFile: ofKeys
        case .refresh, .staleFor: ofKeyTimes
        case .leeway, .maxLifetime, .allowMissingKeyID, .deniedKeys, .require: ofTokens
        case .caFile, .plainHTTP, .opaque: ofConnections
        case .authorizationFile, .clientCertificate: ofCredentials
        }
    }

    private var ofKeys: KeyReference {
        switch self {
        case .jwksURI:
            KeyReference(
                .list(.text("a URL")), .meaning("it is found by discovery, or the profile knows it"),
                "Where the key set is, or several whose keys all count; not together with `jwks_file`.",
                example: "https://id.example.com/keys")
        case .jwksFile:
            KeyReference(
                .text("a path"), .meaning("the key set is fetched"),
                "A file with the key set; not together with `jwks_uri`. It is read again when it changes.",
                example: "./keys.json")
        default:
            KeyReference(
                .text("a profile's name"),
                .meaning("it is an issuer of OpenID Connect or RFC 9068, which says everything itself"),
                "The identity system that the issuer is.", example: "logto")
        }
    }

    private var ofKeyTimes: KeyReference {
        switch self {
        case .refresh:
            KeyReference(
                .section(RefreshKey.section),
                .meaning("`Cache-Control` decides between 5 minutes and 6 hours; Microsoft's are fetched every hour"),
                "How often the key set is fetched again.", example: "{min: 10m, max: 1h}")
        default:
            KeyReference(
                .duration(.seconds(60)...KeySetConfiguration.longestStaleLimit),
                .value(KeySetConfiguration.usualStaleLimit),
                "How long keys are used that cannot be fetched again; past it, tokens are answered 503.", example: "2d")
        }
    }

    private var ofTokens: KeyReference {
        switch self {
        case .leeway:
            KeyReference(
                .duration(.zero ... .seconds(300)), .value(TrustedIssuer.unreadable("").leeway),
                "How far the issuer's clock and this one may differ, for `exp`, `nbf` and `iat`.", example: "30s")
        case .maxLifetime:
            KeyReference(
                .duration(.seconds(1)...Self.longestLifetime), .meaning("there is no bound"),
                "The longest time from `iat` to `exp`; a token that is valid for longer is refused.", example: "24h")
        case .allowMissingKeyID:
            KeyReference(
                .boolean, .value("false"),
                "Accepts tokens without `kid`, and any `kid` where no key of the issuer has one, if at most four keys fit; `check` warns.",
                example: "true")
        case .deniedKeys:
            KeyReference(
                .list(.oneOf([.text("a key ID or thumbprint"), .section(TextKey.section)]), mayBeEmpty: true),
                .meaning("no key is"),
                "Keys that are refused although the issuer publishes them, by ID (`kid`) or thumbprint (RFC 7638, base64url).",
                example: "[2024-01]")
        default:
            KeyReference(
                .section(IssuerRequirementKey.section), .meaning("nothing more is asked for"),
                "What every token of this issuer must say.", example: "{claims: {environment: production}}")
        }
    }

    private var ofCredentials: KeyReference {
        switch self {
        case .authorizationFile:
            KeyReference(
                .text("a path"), .meaning("none is sent"),
                "A file with the `Authorization` for fetching the keys, or a bearer token alone. It is read anew for each fetch, and sent only to "
                    + "`jwks_uri` as it is written, or to the issuer's own origin.", example: "./keys.token")
        default:
            KeyReference(
                .section(CertificateKey.section), .meaning("none is shown"),
                "The certificate that is shown where the keys are fetched, under the same conditions as `authorization_file`.",
                example: "{certificate: ./client.pem, key: ./client.key}")
        }
    }

    private var ofConnections: KeyReference {
        switch self {
        case .caFile:
            KeyReference(
                .text("a path"), .meaning("it is the system's list"),
                "The authorities in PEM that the issuer's certificate must come from.", example: "./ca.pem")
        case .plainHTTP:
            KeyReference(
                .boolean, .value("false"),
                "Permits `http://` to other machines. Whoever is on the way can then replace keys; `check` warns.",
                example: "true")
        default:
            KeyReference(
                .oneOf([.words(["reject"]), .section(OpaqueKey.section)]), .value("reject"),
                "What becomes of tokens that only the issuer can read.",
                example:
                    "{introspect: {client_id: gateway, client_secret_file: ./secret, endpoint: \"https://id.example.com/introspect\"}}"
            )
        }
    }
}

/// The keys of `refresh`.
enum RefreshKey: String, ConfigurationKey {
    case min, max

    static let section = SectionReference(
        "refresh",
        "How often a key set is fetched again: when four fifths of the time have passed that its answer is fresh for.",
        of: RefreshKey.self)

    private static let bounds = ValueForm.duration(.seconds(30)...KeySetConfiguration.longestStaleLimit)

    var reference: KeyReference {
        switch self {
        case .min:
            KeyReference(
                Self.bounds, .meaning("it is 5 minutes, or an hour for Microsoft's"),
                "The least time that an answer is fresh for, whatever `Cache-Control` says.", example: "10m")
        case .max:
            KeyReference(
                Self.bounds, .meaning("it is 6 hours, or an hour for Microsoft's"),
                "The longest time that an answer is fresh for, whatever `Cache-Control` says.", example: "1h")
        }
    }
}

/// The keys of an issuer without a profile, beside those of every issuer.
enum GenericIssuerKey: String, ConfigurationKey {
    case issuer, algorithms
    case tokenType = "token_type"
    case scopeClaims = "scope_claims"
    case roleClaims = "role_claims"
    case clientClaims = "client_claims"
    case clients

    static let section = SectionReference(
        "Issuers without a profile",
        "An issuer of OpenID Connect or RFC 9068 that says itself what its tokens look like."
    ) { named + IssuerKey.shared.map(\.named) }

    /// `profile` is among them, so that a name near it is understood.
    static var known: [String] { [IssuerKey.profile.rawValue] + section.keys.map(\.name) }

    private static let claims = ValueForm.list(.text("a claim's name or path"))

    var reference: KeyReference {
        let usual = TrustedIssuer.unreadable("")
        return switch self {
        case .issuer:
            KeyReference(
                .text("a URL, or any text"),
                .refused(hint: "write the `iss` of its tokens, such as `https://id.example.com`"),
                "The `iss` of its tokens, byte for byte; also where its metadata is found. "
                    + "With `jwks_uri` or `jwks_file` it may be any text.",
                example: "https://id.example.com")
        case .algorithms:
            KeyReference(
                .list(.words(AlgorithmsReader.known)), .value(AlgorithmsReader.usualNames),
                "The signature algorithms that are accepted.", example: "[ES256, EdDSA]")
        case .tokenType:
            KeyReference(
                .oneOf([.words(["at+jwt", "any"]), .section(TokenTypeKey.section)]),
                .refused(hint: "write \(TokenTypeReader.forms)"),
                "How access tokens are told from the issuer's other tokens. `any` accepts ID tokens too; `check` warns.",
                example: "at+jwt")
        case .scopeClaims:
            KeyReference(
                Self.claims, Self.usual(usual.scopeClaims), "Where the scopes are.", example: "[scope, permissions]")
        case .roleClaims:
            KeyReference(
                Self.claims, Self.usual(usual.roleClaims.map(\.path)), "Where the roles are.",
                example: "[realm_access.roles]")
        case .clientClaims:
            KeyReference(
                Self.claims, Self.usual(usual.clientClaims), "Where the client is; the first that is there counts.",
                example: "[azp]")
        case .clients:
            KeyReference(
                TextKey.list("a client ID"), .meaning("every client of the issuer may"),
                "The clients that may use the API.",
                example: "[web-app, mobile-app]")
        }
    }

    private static func usual(_ paths: [ClaimPath]) -> KeyAbsence {
        .value("[\(paths.map(\.description).joined(separator: ", "))]")
    }
}

/// The keys of `token_type` as a mapping.
enum TokenTypeKey: String, ConfigurationKey {
    case claim, value

    static let section = SectionReference(
        "token_type", "The claim by which access tokens are told from other tokens.", of: TokenTypeKey.self)

    var reference: KeyReference {
        switch self {
        case .claim:
            KeyReference(
                .text("a claim's name or path"), .refused(hint: "name the claim that tells access tokens from others"),
                "The claim.", example: "token_use")
        case .value:
            KeyReference(
                .list(.claimValue), .refused(hint: "write what the claim must be"),
                "What it must be, or one of a list.",
                example: "access")
        }
    }
}

/// The keys of an issuer's `require`.
///
/// What a token must say is judged with the token itself; what it must grant is added to every rule.
enum IssuerRequirementKey: String, ConfigurationKey {
    case claims, not, absent
    case allOf = "all_of"
    case anyOf = "any_of"
    case text, roles, clients, organization, acr
    case maxAge = "max_age"

    static let natural: [Self] = [.allOf]

    static let section = SectionReference(
        "require",
        "What every token of an issuer must say (401 `claim_not_allowed`), and what it must meet besides at every rule.",
        of: IssuerRequirementKey.self)

    var reference: KeyReference {
        switch self {
        case .claims:
            KeyReference(
                PatternKey.claims, .meaning("nothing is asked for"),
                "Claims, and the values or patterns of which each must have one.",
                example: "{environment: [production, staging]}")
        case .not: RequirementKey.not.reference
        case .absent: RequirementKey.absent.reference
        case .allOf: RequirementKey.allOf.reference
        case .anyOf: RequirementKey.anyOf.reference
        case .text: RequirementKey.text.reference
        case .roles: RequirementKey.roles.reference
        case .clients: RequirementKey.clients.reference
        case .organization:
            KeyReference(
                TextKey.list("an organization"), .meaning("nothing is asked for"),
                "The organization that the token must be for.",
                example: "[\"org_1\", \"org_2\"]")
        case .acr: RequirementKey.acr.reference
        case .maxAge: RequirementKey.maxAge.reference
        }
    }
}

/// The keys of `opaque` as a mapping.
enum OpaqueKey: String, ConfigurationKey {
    case introspect

    static let section = SectionReference(
        "opaque", "Opaque tokens are asked about at their issuer (RFC 7662).", of: OpaqueKey.self)

    var reference: KeyReference {
        KeyReference(
            .section(IntrospectionKey.section), .refused(hint: "write \(OpaqueReader.forms)"),
            "As whom the issuer is asked, and where.",
            example:
                "{client_id: gateway, client_secret_file: ./secret, endpoint: \"https://id.example.com/introspect\"}")
    }
}

/// The keys of `introspect`.
enum IntrospectionKey: String, ConfigurationKey {
    case clientID = "client_id"
    case clientSecretFile = "client_secret_file"
    case endpoint, clients, cache

    static let natural: [Self] = [.endpoint, .clientID, .clientSecretFile]

    static let section = SectionReference(
        "introspect", "How an issuer is asked about opaque tokens.", of: IntrospectionKey.self)

    /// A revoked token is accepted for at most as long as answers are kept.
    private static let longestCache = Duration.seconds(3600)

    var reference: KeyReference {
        switch self {
        case .clientID:
            KeyReference(
                .text("a client ID"), .refused(hint: "name the client that may ask"),
                "The client as which Bearward asks.",
                example: "gateway")
        case .clientSecretFile:
            KeyReference(
                .text("a path"), .refused(hint: "write the path of a file with that client's secret"),
                "A file with that client's secret. It is read again when it changes.", example: "./secret")
        case .endpoint:
            KeyReference(
                .text("a URL"),
                .refusedUnless(
                    "the issuer's keys are found by discovery, or the profile is `logto`",
                    hint: "no metadata of this issuer is read, so write where it answers (RFC 7662), such as "
                        + "`https://id.example.com/introspect`"),
                "Where the issuer answers. Where its keys are found by discovery, the same metadata names the endpoint.",
                example: "https://id.example.com/introspect")
        case .clients:
            KeyReference(
                .list(.text("a client ID"), mayBeEmpty: true), .meaning("answers without an audience are refused"),
                "The clients whose tokens are meant where an answer names no audience.", example: "[web-app]")
        case .cache:
            KeyReference(
                .duration(.zero...Self.longestCache), .value(IntrospectionConfiguration.usualCacheLimit),
                "How long an answer is used again; a revoked token is accepted for as long.", example: "5s")
        }
    }
}
