import AccessControl
import IdentityFields
import ProxySettings

/// The keys of a resource.
enum ResourceKey: String, ConfigurationKey {
    case audiences
    case sharedAudience = "shared_audience"
    case at, issuers, upstream
    case stripPrefix = "strip_prefix"
    case upstreamHost = "upstream_host"
    case upstreamTLS = "upstream_tls"
    case pathParameters = "path_parameters"
    case encodedSlashes = "encoded_slashes"
    case atExpiry = "at_expiry"
    case tokenHeader = "token_header"
    case askFor = "ask_for"
    case cors, websocket, metadata, mode, require, rules, scopes, quotas, forward

    enum AtExpiry: String, CaseIterable { case end, keep }

    static let natural: [Self] = [.upstream, .issuers, .rules]

    static let section = SectionReference(
        "resources", "A protected API: where it is, whose tokens open it, where requests go, and what they need.",
        of: ResourceKey.self)

    var reference: KeyReference {
        switch self {
        case .audiences, .sharedAudience, .at, .issuers, .tokenHeader, .askFor, .metadata: ofPolicy
        case .mode, .require, .rules, .scopes, .quotas: ofRules
        case .upstream, .upstreamHost, .upstreamTLS, .stripPrefix, .forward: ofForwarding
        case .cors, .pathParameters, .encodedSlashes, .atExpiry, .websocket: ofMessages
        }
    }

    private var ofPolicy: KeyReference {
        switch self {
        case .audiences:
            let list = ValueForm.list(.text("an audience"))
            return KeyReference(
                .oneOf([list, .mapping(of: .text("an issuer's name"), to: list)]),
                .meaning("it is the resource's identifier alone"),
                "What `aud` must be or contain: the complete list, for all issuers or for each.",
                example: "[https://api.example.com]")
        case .sharedAudience:
            return KeyReference(
                .boolean, .value("false"),
                "Says that tokens of this resource are meant to open another too, because both have one audience. `check` then does not warn of it; "
                    + "only the rules tell the resources apart.", example: "true")
        case .at:
            return KeyReference(
                .list(.text("`/path`, or `host[:port][/path]`")),
                .refusedUnless("the identifier is a URL", hint: "write where it is"),
                "Where the resource is. Without it an identifier that is a URL is the place.",
                example: "[api.example.com/orders, /orders]")
        case .issuers:
            return KeyReference(
                .list(.text("an issuer's name"), mayBeEmpty: true),
                .refusedUnless("every rule is public", hint: "name the issuers whose tokens open this resource"),
                "The issuers whose tokens open the resource.", example: "[logto]")
        case .tokenHeader:
            return KeyReference(
                .section(TokenHeaderKey.section), .meaning("it is `Authorization: Bearer`"),
                TokenHeaderKey.section.text,
                example: "{name: X-Goog-IAP-JWT-Assertion, prefix: \"\"}")
        case .askFor:
            let template = ScopeTemplatesReader.form
            return KeyReference(
                .oneOf([template, .mapping(of: .text("an issuer's name"), to: template)]),
                .meaning(
                    "clients are told the names that tokens have, with those of `cognito` behind its `resource_server`"),
                "The names by which clients ask for the scopes of the rules, for all issuers or for each. "
                    + "They stand in challenges and metadata, and never decide.",
                example: "\"api://0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70/{scope}\"")
        default:
            return KeyReference(
                .words(["none"]), .meaning("it is published for an identifier that is an https URL"),
                "Whether the metadata of the resource is published (RFC 9728).", example: "none")
        }
    }

    private var ofRules: KeyReference {
        switch self {
        case .mode:
            return KeyReference(
                ModeKey.form, .value(ModeKey.enforce),
                "Whether requests that a rule does not permit, or that fall under none, are refused. A rule's own `mode` "
                    + "replaces it.",
                example: "{observe: {until: 2099-12-24}}")
        case .require:
            return KeyReference(
                RequirementReader.form, .meaning("each rule says all that it needs"),
                "What every rule needs of tokens besides its own. A public rule cannot stand beside it.",
                example: "{claims: {environment: production}}")
        case .scopes:
            return KeyReference(
                .mapping(of: .text("a scope"), to: .section(ScopeKey.section)),
                .meaning("each scope stands for itself"),
                "Scopes that imply others, where rules ask for those. Identity fields and challenges name no implied scope.",
                example: "{\"orders:write\": {implies: [orders:read]}}")
        case .quotas:
            return KeyReference(
                QuotaKey.names, .meaning("only the quotas of the rule count"),
                "The quotas that every request of the resource counts against, besides those of its rule.",
                example: "[per-user]")
        default:
            return KeyReference(
                .mapping(of: .pattern("`METHODS PATH`", "^[^ ]+ +/"), to: RequirementReader.form),
                .refused(hint: "write what requests need, such as `GET /**: authenticated`"),
                "What requests need. The most specific rule counts; without one a request is 403.",
                example: "{GET /orders/**: orders:read, \"POST,PUT /orders/{id}\": orders:write}")
        }
    }

    private var ofForwarding: KeyReference {
        switch self {
        case .upstream:
            let group = ValueForm.oneOf([.list(.text("a URL")), .section(FleetKey.section)])
            return KeyReference(
                .oneOf([group, .mapping(of: .pattern("a path prefix", "^/"), to: group)]),
                .refusedUnless("there are `doors`", hint: UpstreamReader.example),
                "Where requests go: `http`, `https` or `h2c`, or `http+unix:///run/shop.sock`. Of a list each in turn; of a mapping of paths the longest prefix decides.",
                example: "[http://127.0.0.1:9000, http://127.0.0.1:9001]")
        case .upstreamHost:
            return KeyReference(
                .text("a host, with or without a port"), .meaning("it is the client's"),
                "What `Host` says to the upstream.",
                example: "orders.internal")
        case .upstreamTLS:
            return KeyReference(
                .section(UpstreamSecurityKey.section), .meaning("the system's authorities count"),
                UpstreamSecurityKey.section.text,
                example: "{server_name: orders.internal}")
        case .stripPrefix:
            return KeyReference(
                .boolean, .value("false"),
                "Takes the path of the place away before a request is forwarded, and states it in `X-Forwarded-Prefix`.",
                example: "true")
        default:
            return KeyReference(
                .section(ForwardKey.section), .meaning("the token is taken away and no identity is added"),
                ForwardKey.section.text,
                example: "{identity: {subject: X-Auth-Subject}}")
        }
    }

    private var ofMessages: KeyReference {
        switch self {
        case .cors:
            KeyReference(
                .section(CrossOriginKey.section),
                .meaning("Bearward states nothing about other origins, and relays what the upstream states"),
                CrossOriginKey.section.text, example: "{origins: [https://app.example.com]}")
        case .atExpiry:
            KeyReference(
                .words(of: AtExpiry.self), .value(AtExpiry.end.rawValue),
                "Whether gRPC calls, event streams and WebSockets end when their token expires.", example: "keep")
        case .websocket:
            KeyReference(
                .oneOf([.boolean, .section(WebSocketPolicyKey.section)]), .value("false"),
                "Permits WebSockets. Without it a handshake is an ordinary request, and within HTTP/2 405.",
                example: "{token: subprotocol, origins: [https://app.example.com]}")
        case .encodedSlashes:
            KeyReference(
                .words(of: EncodedSlashes.self), .value(EncodedSlashes.refuse.rawValue),
                "What becomes of a path with `%2F`. `refuse`: it is 400. `keep`: it is forwarded if it means the same with `/` in its place. "
                    + "`opaque`: it is forwarded as it is; only for upstreams that decode nothing before they choose what to serve.",
                example: "keep")
        default:
            KeyReference(
                .words(of: PathParameters.self), .value(PathParameters.refuse.rawValue),
                "What becomes of a path with `;`: it is 400, or forwarded and matched without its parameters.",
                example: "keep")
        }
    }
}

/// The keys of `upstream_tls`.
enum UpstreamSecurityKey: String, ConfigurationKey {
    case caFile = "ca_file"
    case serverName = "server_name"
    case certificate, key
    case minimumVersion = "minimum_version"
    case protocols

    static let natural: [Self] = [.caFile]

    static let section = SectionReference(
        "upstream_tls", "TLS to `https` upstreams. Their certificates are always verified.",
        of: UpstreamSecurityKey.self)

    var reference: KeyReference {
        switch self {
        case .caFile:
            KeyReference(
                .text("a path"), .meaning("it is the system's list"),
                "The authorities in PEM that the certificate must come from.",
                example: "./ca.pem")
        case .serverName:
            KeyReference(
                .text("a DNS name"), .meaning("it is the host of the URL"),
                "The name that the certificate must be for.",
                example: "orders.internal")
        case .certificate:
            KeyReference(
                .text("a path"), .meaning("none is shown"), "The certificate that Bearward shows, in PEM; needs `key`.",
                example: "./server.pem")
        case .key:
            KeyReference(.text("a path"), .meaning("none is shown"), "Its private key in PEM.", example: "./server.key")
        case .minimumVersion:
            KeyReference(
                .words(of: TLSFloor.self), .value(TLSFloor.tls12.rawValue), "The oldest version of TLS.",
                example: "\"1.3\"")
        case .protocols:
            KeyReference(
                .list(.words(["h2", "http/1.1"])), .value("[h2, http/1.1]"), "What is offered to the upstream.",
                example: "[http/1.1]")
        }
    }
}

/// The keys of `forward`.
enum ForwardKey: String, ConfigurationKey {
    case authorization, identity, claims
    case clientCertificate = "client_certificate"

    enum Authorization: String, CaseIterable { case strip, keep }

    static let section = SectionReference(
        "forward", "What the upstream gets of the token and of the identity in it.", of: ForwardKey.self)

    /// Those of the client are removed from every request.
    static let fieldName = ValueForm.text("a field name")

    var reference: KeyReference {
        switch self {
        case .authorization:
            KeyReference(
                .words(of: Authorization.self), .value(Authorization.strip.rawValue),
                "Whether the upstream gets the token itself.",
                example: "keep")
        case .clientCertificate:
            KeyReference(
                .boolean, .value("false"),
                "Whether `Client-Cert` states the certificate that the client showed this gateway (RFC 9440). Nobody else's such field passes.",
                example: "true")
        case .identity:
            KeyReference(
                .section(IdentityKey.section), .meaning("no such field is added"),
                "Fields with what the token says, by the same names for every issuer. A client's own fields of that name are removed.",
                example: "{subject: X-Auth-Subject, scopes: X-Auth-Scope}")
        case .claims:
            KeyReference(
                .mapping(
                    of: .text("a claim's name or path"),
                    to: .oneOf([Self.fieldName, .section(ForwardedClaimKey.section)])),
                .meaning("no such field is added"),
                "Fields with claims as they are in the token. A client's own fields of that name are removed.",
                example: "{department: X-Auth-Department}")
        }
    }
}

/// The keys of a claim under `forward`, where more than its field is said.
enum ForwardedClaimKey: String, ConfigurationKey {
    case field, only

    static let section = SectionReference(
        "Forwarded claims", "The field that a claim goes into, and which of its values.", of: ForwardedClaimKey.self)

    var reference: KeyReference {
        switch self {
        case .field:
            KeyReference(
                ForwardKey.fieldName, .refused(hint: "write the field, such as {field: X-Groups}"),
                "The field that the claim goes into.",
                example: "X-Groups")
        case .only:
            KeyReference(
                PatternKey.choice, .meaning("the whole claim is sent"),
                "Values and patterns: elements of the claim that are none of these are left out. If nothing is left, the field is not sent.",
                example: "{glob: \"shop-*\"}")
        }
    }
}

/// The keys of `identity`.
enum IdentityKey: String, ConfigurationKey {
    case subject, scopes, client, issuer, tenant, organization, roles

    static let natural: [Self] = [.subject]

    static let section = SectionReference(
        "identity", "What of the verified identity goes into which field.", of: IdentityKey.self)

    var value: IdentityValue {
        switch self {
        case .subject: .subject
        case .scopes: .scopes
        case .client: .client
        case .issuer: .issuer
        case .tenant: .tenant
        case .organization: .organization
        case .roles: .roles
        }
    }

    var reference: KeyReference {
        switch self {
        case .subject:
            field(
                "The user or client that the token is for (`sub`; of Entra ID, External ID and Azure AD B2C `oid`, else `sub`).",
                "X-Auth-Subject")
        case .scopes: field("The scopes, separated by spaces.", "X-Auth-Scope")
        case .client: field("The client that the token was issued to.", "X-Auth-Client")
        case .issuer: field("The issuer's name in this file.", "X-Auth-Issuer")
        case .tenant: field("The tenant, for an issuer that has tenants.", "X-Auth-Tenant")
        case .organization: field("The organization, for an issuer that has them.", "X-Auth-Organization")
        case .roles: field("The roles, separated by spaces.", "X-Auth-Roles")
        }
    }

    private func field(_ text: String, _ example: String) -> KeyReference {
        KeyReference(ForwardKey.fieldName, .meaning("it is not sent"), text, example: example)
    }
}
