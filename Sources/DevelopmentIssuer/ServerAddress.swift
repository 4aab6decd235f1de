import NetworkNames

/// Listening address of a server of this module, such as `127.0.0.1:9100` or `[::1]:9100`. Port 0 means any free port.
public struct ServerAddress: Sendable, Hashable, CustomStringConvertible {
    /// A host name or an IP address; IPv6 without brackets.
    public let host: String
    public let port: Int

    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses a host, a colon and a port; IPv6 must be in brackets. Returns nil for any other text.
    public init?(_ text: String) {
        guard let parts = HostAndPort(text), let digits = parts.port, let port = UInt16(digits) else { return nil }
        guard !parts.host.isEmpty, parts.host.utf8.contains(UInt8(ascii: ":")) == parts.isBracketed else { return nil }
        self.init(host: String(parts.host), port: Int(port))
    }

    /// Any free port of the loopback interface.
    public static let anyLoopback = ServerAddress(host: "127.0.0.1", port: 0)

    public var description: String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// URL for clients on this machine. For an address that means all interfaces it is the loopback address.
    public var url: String {
        switch host {
        case "0.0.0.0": "http://127.0.0.1:\(port)"
        case "::": "http://[::1]:\(port)"
        default: "http://\(self)"
        }
    }

    func with(port: Int) -> ServerAddress {
        ServerAddress(host: host, port: port)
    }
}
