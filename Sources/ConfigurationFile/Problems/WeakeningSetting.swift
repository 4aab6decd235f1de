/// Setting that weakens a check or gives something away. The raw value is its key, in `bearward_weakening_settings`.
///
/// `check` and every start warn of each. [SECURITY](../../../SECURITY.md) lists them with ``meaning``.
public enum WeakeningSetting: String, Sendable, Hashable, CaseIterable {
    case tokenType = "token_type"
    case allowMissingKeyID = "allow_missing_kid"
    case withoutAudience = "without_audience"
    case subjectClaims = "subject_claims"
    case realms
    case plainHTTP = "plain_http"
    case jwksURI = "jwks_uri"
    case encodedSlashes = "encoded_slashes"
    case authorization
    case webSocket = "websocket"
    case cors
    case admin
    case trustedProxies = "trusted_proxies"
    case doors
    case sharedState = "shared_state"
    case telemetry
    /// The configuration file's permissions.
    case file

    /// Setting as the file has it, and what it gives up, in Markdown.
    public var text: (setting: String, meaning: String) {
        switch self {
        case .tokenType: ("`token_type: any`", "an ID token for the same audience counts as an access token")
        case .allowMissingKeyID:
            (
                "`allow_missing_kid: true`",
                "a token without `kid`, and any token of an issuer whose keys have none, is tried with up to four keys that fit"
            )
        case .withoutAudience:
            (
                "`without_audience: {clients: […]}`",
                "a token of these clients that names no audience opens every resource that lists its issuer"
            )
        case .subjectClaims:
            ("`subject_claims: [email]`, and other claims that change", "a user may become another, or two be one")
        case .realms:
            ("`realms: {glob: …}`", "whoever can create a realm whose name matches becomes an issuer of this gateway")
        case .plainHTTP:
            (
                "`plain_http: true` on an issuer that is not on this machine",
                "anyone on the network path can replace its keys, or answer for its introspection"
            )
        case .jwksURI:
            ("`jwks_uri` of several Kubernetes clusters", "the same namespace of any of them counts as the same")
        case .encodedSlashes:
            ("`encoded_slashes: opaque`", "an upstream that decodes `%2F` serves what no rule was asked about")
        case .authorization:
            (
                "`forward: {authorization: pass}`",
                "the upstream gets an `Authorization` that nobody has judged, which may have an opaque token"
            )
        case .webSocket:
            (
                "`websocket: {…}` whose origins are `\"*\"` or `http://localhost:*`, or those of `cors` with `\"*\"`",
                "any page, or any program on a user's machine, may open WebSockets with its visitor's cookies"
            )
        case .cors:
            (
                "`cors` with `http://localhost:*`, or with every origin and `headers: any`",
                "any program on a user's machine, or any page, may call in the user's network"
            )
        case .admin:
            (
                "`admin` on an address of others, without `allow` or with a range wider than /8",
                "anyone who reaches it reads metrics and names"
            )
        case .trustedProxies:
            (
                "`trusted_proxies` or `proxy_protocol` with a range wider than /8",
                "each client in it chooses its own address for limits, quotas and logs"
            )
        case .doors: ("`doors` with a range wider than /8", "each client in it can ask, and state any request")
        case .sharedState:
            ("`shared_state` on another machine", "whoever reads the connection sees its password and the callers")
        case .telemetry:
            (
                "`telemetry` with an `endpoint` of `http://` on another machine, or `trust_parent` with a range wider than /8",
                "whoever is on the network path reads who calls what, or each client chooses what is recorded"
            )
        case .file: ("a configuration file that everybody may write", "everybody on the machine decides who has access")
        }
    }
}
