import KeySets
import NetworkNames

/// Address to listen on: `host:port`, or `[IPv6]:port`.
public struct ListenAddress: Sendable, Hashable {
    /// Name or address; IPv6 without brackets.
    public let host: String
    /// Port number. 0 takes any free port.
    public let port: Int

    /// Default address for requests. Only this machine reaches it.
    static let usual = ListenAddress(host: "127.0.0.1", port: 8080)

    private init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Parses an address. Nil for any other text, a missing host or port included.
    public init?(_ text: String) {
        guard let parts = HostAndPort(text), let digits = parts.port, let port = PortNumber.canonical(digits.utf8.span),
            let host = Self.host(parts)
        else { return nil }
        self.init(host: host, port: port)
    }

    /// Address as text: `host:port`, or `[IPv6]:port`.
    public var text: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// True if only this machine reaches the address. Names other than `localhost` are not resolved.
    public var isLoopback: Bool {
        host == "localhost" || IPAddress(host)?.addressClass == .loopback
    }

    /// True if sockets for the two addresses could not both be bound.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, port != 0 else { return false }
        return host == other.host || isWildcard || other.isWildcard || isSameAddress(as: other)
            || isLocalhost(with: other)
    }

    /// True if connections to the other address reach this one. Only the texts are compared: on another machine a name
    /// may resolve to any address.
    func isReached(at other: ListenAddress) -> Bool {
        overlaps(other) && (other.isLoopback || other.isWildcard || !isWildcard)
    }

    /// True if it takes connections to every address of the other one, which it overlaps. `[::]` also takes those to
    /// IPv4.
    func isWider(than other: ListenAddress) -> Bool {
        IPAddress(host) == IPAddress("::") || isWildcard && !other.isWildcard
    }

    private var isWildcard: Bool { host == "0.0.0.0" || IPAddress(host) == IPAddress("::") }

    private func isSameAddress(as other: ListenAddress) -> Bool {
        guard let address = IPAddress(host) else { return false }
        return address == IPAddress(other.host)
    }

    private func isLocalhost(with other: ListenAddress) -> Bool {
        (host == "localhost" && other.isLoopback) || (other.host == "localhost" && isLoopback)
    }

    private static func host(_ parts: HostAndPort) -> String? {
        let text = parts.host
        guard !parts.isBracketed else { return IPAddress(ipv6: text.utf8.span).map { _ in String(text) } }
        guard !text.isEmpty, text.utf8.allSatisfy(ASCII.isHostByte) else { return nil }
        // Text of digits and dots is an IPv4 address or a mistake, never a name.
        let isNumeric = text.utf8.allSatisfy { ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }
        return isNumeric && IPAddress(ipv4: text.utf8.span) == nil ? nil : text.lowercased()
    }
}
