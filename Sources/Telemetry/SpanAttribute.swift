/// Attributes of spans: the closed list of their names.
///
/// Names without `bearward.` are those of OpenTelemetry's semantic conventions, version 1.44. There is no `url.query`
/// and no `url.full`: queries carry secrets.
public enum SpanAttribute: Int, CaseIterable, Sendable {
    case requestMethod
    case originalMethod
    case resendCount
    case responseStatus
    case route
    case path
    case scheme
    case serverAddress
    case serverPort
    case clientAddress
    case userAgent
    case protocolVersion
    case errorType
    case requestID
    case resource
    case door
    case check
    case reason
    case would
    case issuer
    case cache
    case userID
    case userHash
    case upstreamError

    public var name: String {
        switch self {
        case .requestMethod: "http.request.method"
        case .originalMethod: "http.request.method_original"
        case .resendCount: "http.request.resend_count"
        case .responseStatus: "http.response.status_code"
        case .route: "http.route"
        case .path: "url.path"
        case .scheme: "url.scheme"
        case .serverAddress: "server.address"
        case .serverPort: "server.port"
        case .clientAddress: "client.address"
        case .userAgent: "user_agent.original"
        case .protocolVersion: "network.protocol.version"
        case .errorType: "error.type"
        case .requestID: "bearward.request_id"
        case .resource: "bearward.resource"
        case .door: "bearward.door"
        case .check: "bearward.check"
        case .reason: "bearward.reason"
        case .would: "bearward.would"
        case .issuer: "bearward.issuer"
        case .cache: "bearward.cache"
        case .userID: "user.id"
        case .userHash: "user.hash"
        case .upstreamError: "bearward.upstream_error"
        }
    }

    /// The span or event that has the attribute, and its value, in the reference documentation.
    public var text: (owner: String, meaning: String) {
        switch self {
        case .requestMethod: ("both spans", "The method. `_OTHER` if it is not a registered one.")
        case .originalMethod: ("server span", "The method as sent, if it is not a registered one.")
        case .resendCount: ("client span", "Number of the attempt, from 1. Left out for the first.")
        case .responseStatus: ("both spans", "The HTTP status of the answer. Left out without one.")
        case .route: ("server span", "Path of the resource and of the rule. Left out if no rule matched.")
        case .path: ("server span", "The path without its query, as in the access log; `redact` changes it.")
        case .scheme: ("server span", "`https` if the client connected with TLS, else `http`.")
        case .serverAddress: ("both spans", "Server span: the host that the client asked for. Client span: the target.")
        case .serverPort: ("both spans", "The port beside `server.address`. Left out if the client wrote none.")
        case .clientAddress: ("server span", "The client's address; `redact` changes it.")
        case .userAgent: ("server span", "The `User-Agent` field; `redact` changes it.")
        case .protocolVersion: ("server span", "`2`, `1.1` or `1.0`.")
        case .errorType:
            (
                "both spans",
                "Server span: the reason or the status of a 5xx answer. Client span: the outcome, or the status from 400 on."
            )
        case .requestID: ("server span", "`request_id` of the access log.")
        case .resource: ("server span", "The resource's identifier.")
        case .door: ("server span", "Kind of forward auth (door), if a proxy asked.")
        case .check: ("event `authorize`", "The last check: the one that refused the request, or `forwarding`.")
        case .reason: ("event `authorize`", "Why Bearward answered the request itself ([reasons](reasons.md)).")
        case .would: ("event `authorize`", "Reason that would have applied, had the rule not been in observe mode.")
        case .issuer: ("event `authorize`", "The operator's name of the issuer that the token names.")
        case .cache: ("event `authorize`", "`hit`, `miss` or `off`, as in the access log.")
        case .userID: ("event `authorize`", "The token's subject, unless `redact` hashes or drops it.")
        case .userHash: ("event `authorize`", "The hash of the subject, if `redact` hashes it.")
        case .upstreamError: ("both spans", "Why the upstream failed, as in the access log.")
        }
    }
}
