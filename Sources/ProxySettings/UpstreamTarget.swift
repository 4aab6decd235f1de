/// One server. Two are the same only if everything here is, so that what was verified for one is not used for another.
public struct UpstreamTarget: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets; `localhost` behind a Unix socket.
    public let host: String
    /// 0 behind a Unix socket.
    public let port: Int
    /// The absolute path of a Unix socket; nil: it is reached by TCP.
    public let socketPath: String?
    /// nil: plain text.
    public let security: TargetSecurity?
    /// Over TLS negotiated by ALPN; without TLS HTTP/2 by prior knowledge, or HTTP/1.1.
    public let protocols: ListenerProtocols

    public init(host: String, port: Int, security: TargetSecurity? = nil, protocols: ListenerProtocols = .http1) {
        self.host = host
        self.port = port
        self.security = security
        self.protocols = protocols
        socketPath = nil
    }

    /// A server behind a Unix socket.
    ///
    /// - Parameter socketPath: absolute, and at most ``longestSocketPath`` bytes.
    public init(socketPath: String, protocols: ListenerProtocols = .http1) {
        self.socketPath = socketPath
        self.protocols = protocols
        (host, port, security) = ("localhost", 0, nil)
    }

    /// What the system takes, without the byte that ends it (`sun_path`).
    public static let longestSocketPath = 107

    /// What it is called in logs and metrics: `host:port`, or `unix:/path`.
    public var name: String { socketPath.map { "unix:\($0)" } ?? authority }

    /// What stands in `Host`: `host:port`, with brackets where they belong.
    public var authority: String {
        if socketPath != nil { return host }
        return host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
