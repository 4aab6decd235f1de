/// One upstream server. Two targets are equal only if all properties are. So a connection that was verified for one is
/// never used for another.
public struct UpstreamTarget: Sendable, Hashable {
    /// Name, IPv4 address, or IPv6 address without brackets. `localhost` for a Unix socket.
    public let host: String
    /// Port of the server; 0 for a Unix socket.
    public let port: Int
    /// Absolute path of a Unix socket. Nil if the target is reached by TCP.
    public let socketPath: String?
    /// True if each address that the host name resolves to becomes a separate target. The named target itself then
    /// takes no requests.
    public let isEveryAddress: Bool
    /// Address of a target that is one address of its host name. Nil if any address of the host may be used.
    public let ipAddress: String?
    /// TLS settings. Nil for plain text.
    public let security: TargetSecurity?
    /// HTTP versions of the target. With TLS they are negotiated by ALPN; without TLS it is HTTP/2 by prior knowledge,
    /// or HTTP/1.1.
    public let protocols: ListenerProtocols

    public init(
        host: String, port: Int, security: TargetSecurity? = nil, protocols: ListenerProtocols = .http1,
        isEveryAddress: Bool = false
    ) {
        self.init(host, port, security, protocols, isEveryAddress: isEveryAddress, ipAddress: nil)
    }

    /// Makes the target for one address of the host. TLS and `Host` stay those of the name.
    public func at(_ ipAddress: String) -> UpstreamTarget {
        UpstreamTarget(host, port, security, protocols, isEveryAddress: false, ipAddress: ipAddress)
    }

    private init(
        _ host: String, _ port: Int, _ security: TargetSecurity?, _ protocols: ListenerProtocols, isEveryAddress: Bool,
        ipAddress: String?
    ) {
        self.isEveryAddress = isEveryAddress
        self.ipAddress = ipAddress
        self.host = host
        self.port = port
        self.security = security
        self.protocols = protocols
        socketPath = nil
    }

    /// Makes the target for a server behind a Unix socket.
    ///
    /// - Parameter socketPath: absolute, and at most ``longestSocketPath`` bytes.
    public init(socketPath: String, protocols: ListenerProtocols = .http1) {
        self.socketPath = socketPath
        self.protocols = protocols
        (host, port, security, isEveryAddress, ipAddress) = ("localhost", 0, nil, false, nil)
    }

    /// Longest path of a Unix socket, in bytes: the size of `sun_path` without its terminating byte.
    public static let longestSocketPath = 107

    /// Name of the target in logs and in the status: `host:port`, `unix:/path`, or `address:port` for one address of a
    /// host name.
    public var name: String { ipAddress.map { Self.authority($0, port) } ?? countedAs }

    /// Label under which the target's requests are counted. The addresses of a host name come and go, so they share one
    /// label.
    public var countedAs: String { socketPath.map { "unix:\($0)" } ?? authority }

    /// Value of `Host`: `host:port`, with brackets around an IPv6 address.
    public var authority: String {
        socketPath == nil ? Self.authority(host, port) : host
    }

    private static func authority(_ host: String, _ port: Int) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
