/// An http or https URL: absolute, without userinfo or fragment (RFC 3986 §3, RFC 9110 §4.2).
///
/// Stricter than a general URL parser, because no two readers of a URL may see different hosts in it.
public struct HTTPURL: Sendable, Hashable {
    public enum Scheme: String, Sendable, Hashable {
        case http, https

        public var defaultPort: Int {
            switch self {
            case .http: 80
            case .https: 443
            }
        }
    }

    public let scheme: Scheme
    /// The host in lower case. An IPv6 address has no brackets.
    public let host: String
    public let port: Int
    /// Host and port as written in the URL.
    public let authority: String
    /// Path and query as written in the URL. May be empty.
    public let target: String

    /// Parses an http or https URL. Nil for any other text.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.refused.contains($0) }) else { return nil }
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text[..<colon].lowercased()) else {
            return nil
        }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let authorityAndTarget = rest.dropFirst(2)
        let end = authorityAndTarget.firstIndex { $0 == "/" || $0 == "?" } ?? authorityAndTarget.endIndex
        let authority = authorityAndTarget[..<end]
        guard let parts = HostAndPort(authority), Self.isHost(parts), let port = Self.port(parts, scheme) else {
            return nil
        }
        self.scheme = scheme
        host = parts.host.lowercased()
        self.port = port
        self.authority = String(authority)
        target = String(authorityAndTarget[end...])
    }

    /// The URL as text. Equal to the parsed text except for the case of the scheme.
    public var text: String { "\(scheme.rawValue)://\(authority)\(target)" }

    /// True if the host is written as this machine: `localhost` or a loopback address. Names are not resolved.
    public var namesLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || IPAddress(host)?.addressClass == .loopback
    }

    /// Refused bytes: `#`, because a fragment is never sent; `\` and other characters outside RFC 3986, because readers
    /// treat them differently.
    private static let refused: Set<UInt8> = Set("#\\\"<>^`{|}".utf8)

    private static func isHost(_ parts: HostAndPort) -> Bool {
        guard !parts.isBracketed else { return IPAddress(ipv6: parts.host.utf8.span) != nil }
        return !parts.host.isEmpty && parts.host.utf8.allSatisfy(ASCII.isHostByte)
    }

    private static func port(_ parts: HostAndPort, _ scheme: Scheme) -> Int? {
        guard !parts.rest.isEmpty else { return scheme.defaultPort }
        guard let digits = parts.port, let port = PortNumber.decimal(digits.utf8.span), port > 0 else { return nil }
        return port
    }
}
