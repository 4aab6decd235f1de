import NIOCore
import TransportSecurity

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

/// One server. Two are the same only if everything here is, so that what was verified for one is not used for another.
public struct UpstreamTarget: Sendable, Hashable {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public let host: String
    public let port: Int
    /// nil: it is spoken with in the clear.
    public let security: TargetSecurity?
    /// Over TLS the best that the server speaks too; in the clear HTTP/2 by prior knowledge, or HTTP/1.1.
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

    /// Its address, if the host is one; nil: the host is a name.
    var address: SocketAddress? { try? SocketAddress(ipAddress: host, port: port) }
}

/// How a server is spoken with over TLS: what the file says, and the paths of files that hold the rest.
public struct TargetSecurity: Sendable, Hashable {
    /// Trust anchors in PEM in place of the system's.
    public let caFile: String?
    /// What an upstream that asks is shown.
    public let identity: IdentityFiles?
    /// The name that is asked for and verified; nil: the target's host.
    public let serverName: String?
    public let floor: TLSFloor
    /// What is offered to the server.
    public let protocols: ListenerProtocols

    public init(
        caFile: String? = nil, identity: IdentityFiles? = nil, serverName: String? = nil, floor: TLSFloor = .tls12,
        protocols: ListenerProtocols = .both
    ) {
        self.caFile = caFile
        self.identity = identity
        self.serverName = serverName
        self.floor = floor
        self.protocols = protocols
    }

    /// Every file that it is made of.
    public var files: [String] { [caFile, identity?.certificate, identity?.key].compactMap { $0 } }
}
