/// The field names that this gateway knows: one closed table, and nothing else compares these names.
public enum KnownField: UInt8, CaseIterable, Hashable, Sendable {
    case host
    case authorization
    case connection
    case contentLength
    case transferEncoding
    case expect
    case upgrade
    case te
    case trailer
    case keepAlive
    case proxy
    case proxyConnection
    case proxyAuthorization
    case proxyAuthenticate
    case proxyAuthenticationInfo
    case http2Settings
    case forwarded
    case xForwardedFor
    case xForwardedProto
    case xForwardedHost
    case xForwardedPort
    case xForwardedPrefix
    case xForwardedServer
    case xRealIP
    case via
    case traceparent
    case tracestate
    case xRequestID
    case xHTTPMethodOverride
    case xHTTPMethod
    case xMethodOverride
    case xOriginalURL
    case xRewriteURL
    case contentType
    case contentEncoding
    case cacheControl
    case cookie
    case setCookie
    case date
    case server
    case wwwAuthenticate
    case retryAfter
    case maxForwards
    case origin
    case accessControlRequestMethod
    case secWebSocketKey
    case secWebSocketVersion
    case secWebSocketAccept
    case secWebSocketProtocol

    /// The name as we write it.
    public var name: StaticString {
        switch self {
        case .host: "Host"
        case .authorization: "Authorization"
        case .connection: "Connection"
        case .contentLength: "Content-Length"
        case .transferEncoding: "Transfer-Encoding"
        case .expect: "Expect"
        case .upgrade: "Upgrade"
        case .te: "TE"
        case .trailer: "Trailer"
        case .keepAlive: "Keep-Alive"
        case .proxy: "Proxy"
        case .proxyConnection: "Proxy-Connection"
        case .proxyAuthorization: "Proxy-Authorization"
        case .proxyAuthenticate: "Proxy-Authenticate"
        case .proxyAuthenticationInfo: "Proxy-Authentication-Info"
        case .http2Settings: "HTTP2-Settings"
        case .forwarded: "Forwarded"
        case .xForwardedFor: "X-Forwarded-For"
        case .xForwardedProto: "X-Forwarded-Proto"
        case .xForwardedHost: "X-Forwarded-Host"
        case .xForwardedPort: "X-Forwarded-Port"
        case .xForwardedPrefix: "X-Forwarded-Prefix"
        case .xForwardedServer: "X-Forwarded-Server"
        case .xRealIP: "X-Real-IP"
        case .via: "Via"
        case .traceparent: "traceparent"
        case .tracestate: "tracestate"
        case .xRequestID: "X-Request-Id"
        case .xHTTPMethodOverride: "X-HTTP-Method-Override"
        case .xHTTPMethod: "X-HTTP-Method"
        case .xMethodOverride: "X-Method-Override"
        case .xOriginalURL: "X-Original-URL"
        case .xRewriteURL: "X-Rewrite-URL"
        case .contentType: "Content-Type"
        case .contentEncoding: "Content-Encoding"
        case .cacheControl: "Cache-Control"
        case .cookie: "Cookie"
        case .setCookie: "Set-Cookie"
        case .date: "Date"
        case .server: "Server"
        case .wwwAuthenticate: "WWW-Authenticate"
        case .retryAfter: "Retry-After"
        case .maxForwards: "Max-Forwards"
        case .origin: "Origin"
        case .accessControlRequestMethod: "Access-Control-Request-Method"
        case .secWebSocketKey: "Sec-WebSocket-Key"
        case .secWebSocketVersion: "Sec-WebSocket-Version"
        case .secWebSocketAccept: "Sec-WebSocket-Accept"
        case .secWebSocketProtocol: "Sec-WebSocket-Protocol"
        }
    }

    /// Whether the field ends at this hop (RFC 9110 §7.6.1) and is never forwarded unchanged.
    ///
    /// The fields that `Connection` nominates are besides these.
    public var isHopByHop: Bool {
        switch self {
        case .connection, .transferEncoding, .upgrade, .te, .trailer, .keepAlive, .proxyConnection, .proxyAuthorization,
            .proxyAuthenticate, .proxyAuthenticationInfo, .http2Settings:
            true
        default:
            false
        }
    }

    /// Whether the field decides where a body ends (RFC 9112 §6).
    public var isFraming: Bool { self == .contentLength || self == .transferEncoding }

    /// Whether the field says what an earlier proxy saw; from a peer that is not trusted it is dropped, as is each
    /// `ProxyField`.
    public var isForwarding: Bool {
        switch self {
        case .forwarded, .xForwardedFor, .xForwardedProto, .xForwardedHost, .xForwardedPort, .xForwardedPrefix,
            .xForwardedServer,
            .xRealIP:
            true
        default:
            false
        }
    }

    /// Whether the field asks a lax application to take another method or path than the one that was judged.
    public var overridesRequestLine: Bool {
        switch self {
        case .xHTTPMethodOverride, .xHTTPMethod, .xMethodOverride, .xOriginalURL, .xRewriteURL: true
        default: false
        }
    }

    /// Whether the field asks for another protocol on the connection (RFC 9110 §7.8), or says how HTTP/2 would be
    /// spoken there (RFC 7540 §3.2.1).
    public var asksForUpgrade: Bool { self == .upgrade || self == .http2Settings }

    /// Whether no request is ever forwarded with the field, whoever sent it.
    ///
    /// CGI makes `HTTP_PROXY` of `Proxy`, which programs take for the proxy that they are to use ("httpoxy",
    /// CVE-2016-5385).
    public var isNeverForwarded: Bool { self == .proxy || self == .http2Settings || overridesRequestLine }

    /// Whether the gateway only forwards a request's field of this name, so that its value may hold bytes above 0x7F
    /// (RFC 9110 §5.5).
    ///
    /// What it reads, states, compares or repeats holds none: two readers may take such bytes for different characters.
    /// Of names that are not in this table, `HeadLimits` tells.
    var isOpaqueInRequests: Bool {
        switch self {
        case .cookie, .cacheControl, .contentEncoding, .setCookie, .date, .server, .wwwAuthenticate, .retryAfter: true
        default: false
        }
    }

    /// Whether the value is a secret, which stays out of the tables of HTTP/2's compression (RFC 7541 §7.1.3).
    public var isSecret: Bool {
        switch self {
        // Browsers' tokens stand among subprotocols.
        case .authorization, .proxyAuthorization, .cookie, .setCookie, .secWebSocketProtocol: true
        default: false
        }
    }
}
