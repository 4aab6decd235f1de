/// One server. Two are the same only if everything here is, so that what was verified for one is not used for another.
public struct UpstreamTarget: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    public let port: Int
    /// nil: plain text.
    public let security: TargetSecurity?
    /// Over TLS negotiated by ALPN; without TLS HTTP/2 by prior knowledge, or HTTP/1.1.
    public let protocols: ListenerProtocols

    public init(host: String, port: Int, security: TargetSecurity? = nil, protocols: ListenerProtocols = .http1) {
        self.host = host
        self.port = port
        self.security = security
        self.protocols = protocols
    }

    /// As it stands in logs and in `Host`: `host:port`, with brackets where they belong.
    public var authority: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
