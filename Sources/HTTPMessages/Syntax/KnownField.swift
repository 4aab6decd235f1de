/// Field names known to the gateway. No other code compares these names.
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

    /// The name as the gateway writes it.
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

    /// True if the field is meant for this hop only (RFC 9110 §7.6.1) and is never forwarded unchanged.
    ///
    /// Fields that `Connection` nominates are not included.
    public var isHopByHop: Bool {
        switch self {
        case .connection, .transferEncoding, .upgrade, .te, .trailer, .keepAlive, .proxyConnection, .proxyAuthorization,
            .proxyAuthenticate, .proxyAuthenticationInfo, .http2Settings:
            true
        default:
            false
        }
    }

    /// True if the field determines the end of a body (RFC 9112 §6).
    public var isFraming: Bool { self == .contentLength || self == .transferEncoding }

    /// True if the field reports what an earlier proxy saw. From an untrusted peer it is dropped, like every
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

    /// True if the field asks a lax application to use another method or path than the validated one.
    public var overridesRequestLine: Bool {
        switch self {
        case .xHTTPMethodOverride, .xHTTPMethod, .xMethodOverride, .xOriginalURL, .xRewriteURL: true
        default: false
        }
    }

    /// True for the fields of a protocol switch: `Upgrade` (RFC 9110 §7.8), and `HTTP2-Settings` of a switch to HTTP/2
    /// (RFC 7540 §3.2.1).
    public var asksForUpgrade: Bool { self == .upgrade || self == .http2Settings }

    /// True if requests are never forwarded with the field, even from a trusted peer.
    ///
    /// CGI turns `Proxy` into `HTTP_PROXY`, which programs take for the proxy to use ("httpoxy", CVE-2016-5385).
    public var isNeverForwarded: Bool { self == .proxy || self == .http2Settings || overridesRequestLine }

    /// True if the gateway only forwards request fields of this name, so that the value may have bytes above 0x7F (RFC
    /// 9110 §5.5).
    ///
    /// Fields that the gateway reads, writes, compares or repeats must not have any: two readers may take them for
    /// different characters. `HeadLimits` decides for names outside this table.
    var isOpaqueInRequests: Bool {
        switch self {
        case .cookie, .cacheControl, .contentEncoding, .setCookie, .date, .server, .wwwAuthenticate, .retryAfter: true
        default: false
        }
    }

    /// True if the value is a secret, which must stay out of HTTP/2's compression tables (RFC 7541 §7.1.3).
    public var isSecret: Bool {
        switch self {
        // Browsers send tokens among the subprotocols.
        case .authorization, .proxyAuthorization, .cookie, .setCookie, .secWebSocketProtocol: true
        default: false
        }
    }
}
