import AccessControl
import Callers
import ProxySettings
import RequestAuthorization

extension ProtectedResource: Defaulted {
    static var defaults: Self { unread("") }
}

/// Configuration keys of a resource.
final class ResourceKeys: SectionKeys {
    enum AtExpiry: String, CaseIterable { case end, keep }

    static let section = SectionReference(
        "resources", "A protected API: its address, accepted issuers, upstream, and rules.",
        of: ResourceKeys.self)

    private static let audiences = ValueForm.list(.text("an audience"))
    private static let upstreams = ValueForm.oneOf([.list(.text("a URL")), .section(FleetKeys.section)])

    var natural: [any SectionKey] { [upstream, issuers, rules] }

    let audiences = Key(
        "audiences",
        form: .oneOf([ResourceKeys.audiences, .mapping(of: .text("an issuer's name"), to: ResourceKeys.audiences)]),
        .meaning("it is the resource's identifier alone"),
        "What `aud` must be or contain: the complete list, for all issuers or for each.",
        example: "[https://api.example.com]")
    let sharedAudience = Key(
        "shared_audience", .boolean, default: false,
        "Declares that tokens of this resource may open another one with the same audience. `check` then does not warn; "
            + "only the rules tell the resources apart.", example: "true")
    let at = Key(
        "at", form: .list(.text("`/path`, or `host[:port][/path]`")),
        .refusedUnless("the identifier is a URL", hint: "write where it is"),
        "Where the resource is. Without it an identifier that is a URL is the place.",
        example: "[api.example.com/orders, /orders]")
    let issuers = Key(
        "issuers", form: .list(.text("an issuer's name"), mayBeEmpty: true),
        .refusedUnless("every rule is public", hint: "name the issuers whose tokens open this resource"),
        "The issuers whose tokens open the resource.", example: "[logto]")
    let upstream = Key(
        "upstream",
        form: .oneOf([
            ResourceKeys.upstreams, .mapping(of: .pattern("a path prefix", "^/"), to: ResourceKeys.upstreams),
        ]),
        .refusedUnless("there are `doors`", hint: UpstreamReader.example),
        "Where requests go: `http`, `https` or `h2c`, or `http+unix:///run/shop.sock`. A list is used in turn; in a mapping of paths the longest prefix decides.",
        example: "[http://127.0.0.1:9000, http://127.0.0.1:9001]")
    let stripPrefix = Setting(
        "strip_prefix", \ProtectedResource.stripsPrefix, .boolean,
        "Removes the path of the resource's place before forwarding, and sends it in `X-Forwarded-Prefix`.",
        example: "true")
    let upstreamHost = Key(
        "upstream_host", KeyForm(.text("a host, with or without a port"), UpstreamReader.host),
        .meaning("it is the client's"), "Value of `Host` for the upstream.", example: "orders.internal")
    let upstreamTLS = Key(
        "upstream_tls", KeyForm(.section(UpstreamSecurityKeys.section), UpstreamSecurityReader.read),
        .meaning("the system's authorities count"), UpstreamSecurityKeys.section.text,
        example: "{server_name: orders.internal}")
    let pathParameters = Key(
        "path_parameters", .word, default: PathParameters.refuse,
        "How a path with `;` is handled: refused with 400, or forwarded and matched without its parameters.",
        example: "keep")
    let encodedSlashes = Setting(
        "encoded_slashes", \ProtectedResource.encodedSlashes, .word,
        "What becomes of a path with `%2F`. `refuse`: it is 400. `keep`: it is forwarded if it means the same with `/` in its place. "
            + "`opaque`: it is forwarded as it is; only for upstreams that decode nothing before they choose what to serve.",
        example: "keep")
    let atExpiry = Setting(
        "at_expiry", \ProtectedResource.endsStreamsAtExpiry, KeyForm<AtExpiry>.word.map { $0 == .end },
        without: .value(AtExpiry.end.rawValue),
        "Whether gRPC calls, event streams and WebSockets end when their token expires.", example: "keep")
    let tokenHeader = Key(
        "token_header",
        KeyForm(
            .list(.oneOf([.text("a header name"), .section(TokenHeaderKeys.section)])), TokenHeaderReader.read),
        .meaning("it is `Authorization: Bearer`"), TokenHeaderKeys.section.text,
        example: "{name: X-Goog-IAP-JWT-Assertion, prefix: \"\"}")
    let askFor = Key(
        "ask_for",
        form: .oneOf([
            ScopeTemplatesReader.form, .mapping(of: .text("an issuer's name"), to: ScopeTemplatesReader.form),
        ]),
        .meaning("clients are told the names that tokens have, with those of `cognito` behind its `resource_server`"),
        "The names by which clients ask for the scopes of the rules, for all issuers or for each. "
            + "They appear in challenges and metadata, and are not used for decisions.",
        example: "\"api://0d9e4c21-77b3-4f6a-8f12-3c5be0a94d70/{scope}\"")
    let cors = Key(
        "cors", form: .section(CrossOriginKeys.section),
        .meaning("Bearward states nothing about other origins, and relays what the upstream states"),
        CrossOriginKeys.section.text, example: "{origins: [https://app.example.com]}")
    let websocket = Key(
        "websocket", form: .oneOf([.boolean, .section(WebSocketPolicyKeys.section)]), .value("false"),
        "Permits WebSockets. Without it a handshake is an ordinary request, and within HTTP/2 405.",
        example: "{token: subprotocol, origins: [https://app.example.com]}")
    let metadata = Setting(
        "metadata", \ProtectedResource.publishesMetadata, KeyForm(.words(["none"]), ResourceKeys.publishesMetadata),
        without: .meaning("it is published for an identifier that is an https URL"),
        "Whether the metadata of the resource is published (RFC 9728).", example: "none")
    let mode = Setting(
        "mode", \ProtectedResource.mode, ModeKeys.form, without: .value(ModeKeys.enforce),
        "Whether requests that no rule permits are refused. A rule's own `mode` "
            + "replaces it.",
        example: "{observe: {until: 2099-12-24}}")
    let maintenance = Setting(
        "maintenance", \ProtectedResource.maintenance, MaintenanceKeys.form, without: .meaning("requests are answered"),
        "Answers every request of the resource with 503, whatever its rule and its token.",
        example: "{until: 2099-12-24, retry_after: 10m}")
    let limits = Key(
        "limits", form: .section(ResourceLimitKeys.section), .meaning("those of the file count"),
        "Limits of the requests of the resource, within those of the file. A rule's own replace them.",
        example: "{body: 10MiB}")
    let timeouts = Key(
        "timeouts", form: .section(ResourceTimeoutKeys.section), .meaning("those of the file count"),
        "Time-outs of the requests of the resource, within those of the file. A rule's own replace them.",
        example: "{first_byte: 10s}")
    let response = Key(
        "response", form: .section(ResponseKeys.section), .meaning("answers of the upstream pass as they are"),
        "Response headers that are set and removed. A rule's own come on top.",
        example: "{set: {Strict-Transport-Security: max-age=31536000}, remove: [Server]}")
    let require = Key(
        "require", form: RequirementReader.form, .meaning("each rule says all that it needs"),
        "Requirements added to every rule. Public rules are not permitted together with it.",
        example: "{claims: {environment: production}}")
    let rules = Key(
        "rules", form: .mapping(of: .pattern("`METHODS PATH`", "^[^ ]+ +/"), to: RequirementReader.form),
        .refused(hint: "write what requests need, such as `GET /**: authenticated`"),
        "What requests need. The most specific rule counts; without one a request is 403. Of a path, `{name}` and `*` are one segment "
            + "or, beside text (`{id}:cancel`, `*.css`), a part of one; `**` is any number of segments.",
        example: "{GET /orders/**: orders:read, \"POST,PUT /orders/{id}\": orders:write}")
    let scopes = Key(
        "scopes", form: .mapping(of: .text("a scope"), to: .section(ScopeKeys.section)),
        .meaning("no scope implies another"),
        "Scopes that imply others in decisions. Identity headers and challenges do not list implied scopes.",
        example: "{\"orders:write\": {implies: [orders:read]}}")
    let quotas = Key(
        "quotas", form: QuotaKeys.names, .meaning("only the quotas of the rule count"),
        "The quotas that every request of the resource counts against, besides those of its rule.",
        example: "[per-user]")
    let forward = Key(
        "forward", form: .section(ForwardKeys.section),
        .meaning("the token is taken away and no identity is added"), ForwardKeys.section.text,
        example: "{identity: {subject: X-Auth-Subject}}")

    /// Reads `metadata`: false for `none`, its only value. Without the key, the document is published. Nil after an
    /// error, which is reported.
    private static func publishesMetadata(_ value: Value) -> Bool? {
        guard let text = value.text(expected: "`none`") else { return nil }
        guard text == "none" else {
            return value.refuse(
                "`\(text)` is not known here", hint: "write `none`, or leave it out for a metadata document")
        }
        return false
    }
}

/// Configuration keys of `upstream_tls`.
final class UpstreamSecurityKeys: SectionKeys {
    static let section = SectionReference(
        "upstream_tls", "TLS to `https` upstreams. Their certificates are always verified.",
        of: UpstreamSecurityKeys.self)

    var natural: [any SectionKey] { [caFile] }

    let caFile = Key(
        "ca_file", KeyForm(.text("a path")) { $0.certificateFile() }, .meaning("it is the system's list"),
        "The authorities in PEM that the certificate must come from.", example: "./ca.pem")
    let serverName = Key(
        "server_name", KeyForm(.text("a DNS name"), UpstreamSecurityReader.serverName),
        .meaning("it is the host of the URL"), "The name that the certificate must be for.",
        example: "orders.internal")
    let certificate = Key(
        "certificate", form: .text("a path"), .meaning("none is shown"),
        "The certificate that Bearward shows, in PEM; needs `key`.", example: "./server.pem")
    let key = Key(
        "key", form: .text("a path"), .meaning("none is shown"), "Its private key in PEM.", example: "./server.key")
    let minimumVersion = Key(
        "minimum_version", .word, default: TLSFloor.tls12, "The oldest version of TLS.", example: "\"1.3\"")
    let protocols = Key(
        "protocols",
        KeyForm(.list(.words(["h2", "http/1.1"]))) { ListenersReader.protocols($0, isSecure: true) },
        .value("[h2, http/1.1]"), "HTTP versions that are offered to the upstream.", example: "[http/1.1]")
}

/// Configuration keys of `forward`.
final class ForwardKeys: SectionKeys {
    static let section = SectionReference(
        "forward", "Which parts of the token and its identity are forwarded to the upstream.", of: ForwardKeys.self)

    /// Form of an identity header's name. Headers of that name are removed from the client's request.
    static let fieldName = ValueForm.text("a header name")

    let authorization = Setting(
        "authorization", \ProtectedResource.forwardedAuthorization, .word,
        without: .value(ForwardedAuthorization.strip.rawValue),
        "Whether the token is forwarded to the upstream. `pass`, with `token_header`: it is not, and the client's own `Authorization` is. "
            + "Nobody judges that; the upstream has to. A token of an issuer of the file in it is 400, an opaque one is not recognised.",
        example: "keep")
    let identity = Key(
        "identity", form: .section(IdentityKeys.section), .meaning("no such header is added"),
        "Headers with what the token says, by the same names for every issuer. A client's own headers of that name are removed.",
        example: "{subject: X-Auth-Subject, scopes: X-Auth-Scope}")
    let claims = Key(
        "claims",
        form: .mapping(
            of: .text("a claim's name or path"), to: .oneOf([fieldName, .section(ForwardedClaimKeys.section)])),
        .meaning("no such header is added"),
        "Headers with claims as they are in the token. A client's own headers of that name are removed.",
        example: "{department: X-Auth-Department}")
    let clientCertificate = Setting(
        "client_certificate", \ProtectedResource.statesClientCertificate, .boolean,
        "Whether the client's certificate is sent in `Client-Cert` (RFC 9440). A `Client-Cert` from the client is always removed.",
        example: "true")
}

/// Configuration keys of a claim under `forward` in its mapping form.
final class ForwardedClaimKeys: SectionKeys {
    static let section = SectionReference(
        "Forwarded claims", "The header that a claim goes into, and which of its values.", of: ForwardedClaimKeys.self)

    let field = Key(
        "field", form: ForwardKeys.fieldName, .refused(hint: "write the field, such as {field: X-Groups}"),
        "The header that the claim goes into.", example: "X-Groups")
    let only = Key(
        "only", form: PatternKeys.choice, .meaning("the whole claim is sent"),
        "Values and patterns: elements of the claim that are none of these are left out. If nothing is left, the header is not sent.",
        example: "{glob: \"shop-*\"}")
}

/// Configuration keys of `identity`.
final class IdentityKeys: SectionKeys {
    /// Key for the header of one part of the identity.
    struct Part: SectionKey {
        let name: String
        let value: IdentityValue
        let reference: KeyReference

        fileprivate init(_ name: String, _ value: IdentityValue, _ text: String, example: String) {
            self.name = name
            self.value = value
            reference = KeyReference(ForwardKeys.fieldName, .meaning("it is not sent"), text, example: example)
        }
    }

    static let section = SectionReference(
        "identity", "Headers for the parts of the verified identity.", of: IdentityKeys.self)

    var natural: [any SectionKey] { [subject] }

    let subject = Part(
        "subject", .subject,
        "The user or client that the token is for (`sub`; of Entra ID, External ID and Azure AD B2C `oid`, else `sub`).",
        example: "X-Auth-Subject")
    let scopes = Part("scopes", .scopes, "The scopes, separated by spaces.", example: "X-Auth-Scope")
    let client = Part("client", .client, "The client that the token was issued to.", example: "X-Auth-Client")
    let issuer = Part("issuer", .issuer, "The token's `iss`.", example: "X-Auth-Issuer")
    let tenant = Part("tenant", .tenant, "The tenant, for an issuer that has tenants.", example: "X-Auth-Tenant")
    let organization = Part(
        "organization", .organization, "The organization, for an issuer that has them.",
        example: "X-Auth-Organization")
    let roles = Part("roles", .roles, "The roles, separated by spaces.", example: "X-Auth-Roles")
}
