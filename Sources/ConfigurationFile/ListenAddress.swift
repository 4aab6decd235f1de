import KeySets
import NetworkNames

/// An address to listen on: `host:port`, or `[IPv6]:port`.
public struct ListenAddress: Sendable, Hashable {
    /// A name or an address, IPv6 without brackets.
    public let host: String
    /// 0 takes any free port.
    public let port: Int

    /// Nil for everything else, a missing host or port included.
    public init?(_ text: String) {
        guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")) else { return nil }
        let digits = text[text.utf8.index(after: colon)...]
        guard let port = Quantity.digits(digits), port <= 65_535, digits == "\(port)", let host = Self.host(text[..<colon]) else {
            return nil
        }
        self.host = host
        self.port = port
    }

    /// As it was written.
    public var text: String {
        host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    }

    /// Whether only this machine reaches it; what a name resolves to is not looked at.
    public var isLoopback: Bool {
        host == "localhost" || AddressClass(text: host) == .loopback
    }

    /// Whether one of two sockets could not be bound beside the other.
    func overlaps(_ other: ListenAddress) -> Bool {
        guard port == other.port, port != 0 else { return false }
        return host == other.host || isWildcard || other.isWildcard || isSameAddress(as: other) || isLocalhost(with: other)
    }

    private var isWildcard: Bool { host == "0.0.0.0" || IPAddress(host) == IPAddress("::") }

    private func isSameAddress(as other: ListenAddress) -> Bool {
        guard let address = IPAddress(host) else { return false }
        return address == IPAddress(other.host)
    }

    private func isLocalhost(with other: ListenAddress) -> Bool {
        (host == "localhost" && other.isLoopback) || (other.host == "localhost" && isLoopback)
    }

    private static func host(_ text: Substring) -> String? {
        if text.hasPrefix("[") {
            let address = text.dropFirst().dropLast()
            guard text.hasSuffix("]"), address.contains(":"), IPAddress(address) != nil else { return nil }
            return String(address)
        }
        guard !text.isEmpty, text.utf8.allSatisfy(isHostByte) else { return nil }
        // Digits and dots are an IPv4 address or a mistake, never a name.
        guard !text.allSatisfy({ $0.isNumber || $0 == "." }) || IPAddress(text) != nil else { return nil }
        return text.lowercased()
    }

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
