/// The servers behind one resource, any of which may take a request.
public struct UpstreamGroup: Sendable, Hashable {
    /// Taken in turn; with none, every request is answered 502.
    public let targets: [UpstreamTarget]
    /// Put before the forwarded path: in canonical form, empty or beginning with a slash and not ending with one.
    public let basePath: [UInt8]
    /// The `Host` to send instead of the client's.
    public let hostOverride: String?

    public init(targets: [UpstreamTarget], basePath: [UInt8] = [], hostOverride: String? = nil) {
        self.targets = targets
        self.basePath = basePath
        self.hostOverride = hostOverride
    }
}

/// One server: plain HTTP/1.1 over TCP.
public struct UpstreamTarget: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    public let port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// As it stands in logs and in `Host`: `host:port`, with brackets where they belong.
    public var authority: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
