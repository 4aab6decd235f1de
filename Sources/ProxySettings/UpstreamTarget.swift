/// One server. Two are the same only if everything here is, so that what was verified for one is not used for another.
public struct UpstreamTarget: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets; `localhost` behind a Unix socket.
    public let host: String
    /// 0 behind a Unix socket.
    public let port: Int
    /// The absolute path of a Unix socket; nil: it is reached by TCP.
    public let socketPath: String?
    /// Whether each address of the host, which is a name, is a target of its own; it takes no requests itself.
    public let isEveryAddress: Bool
    /// Of a target that is one address of its host: the address; nil: whichever address answers.
    public let ipAddress: String?
    /// nil: plain text.
    public let security: TargetSecurity?
    /// Over TLS negotiated by ALPN; without TLS HTTP/2 by prior knowledge, or HTTP/1.1.
    public let protocols: ListenerProtocols

    public init(
        host: String, port: Int, security: TargetSecurity? = nil, protocols: ListenerProtocols = .http1,
        isEveryAddress: Bool = false
    ) {
        self.init(host, port, security, protocols, isEveryAddress: isEveryAddress, ipAddress: nil)
    }

    /// The target at one address of the host; TLS and `Host` are as for the name.
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

    /// A server behind a Unix socket.
    ///
    /// - Parameter socketPath: absolute, and at most ``longestSocketPath`` bytes.
    public init(socketPath: String, protocols: ListenerProtocols = .http1) {
        self.socketPath = socketPath
        self.protocols = protocols
        (host, port, security, isEveryAddress, ipAddress) = ("localhost", 0, nil, false, nil)
    }

    /// What the system takes, without the byte that ends it (`sun_path`).
    public static let longestSocketPath = 107

    /// What it is called in logs and where its state is told: `host:port`, `address:port` for one address of a name, or
    /// `unix:/path`.
    public var name: String { ipAddress.map { Self.authority($0, port) } ?? countedAs }

    /// What its requests are counted under: addresses of a name come and go, and are counted together.
    public var countedAs: String { socketPath.map { "unix:\($0)" } ?? authority }

    /// What stands in `Host`: `host:port`, with brackets where they belong.
    public var authority: String {
        socketPath == nil ? Self.authority(host, port) : host
    }

    private static func authority(_ host: String, _ port: Int) -> String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
