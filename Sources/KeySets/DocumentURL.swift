/// The URL of a document that is fetched: absolute, http or https, without userinfo or fragment (RFC 3986 §3).
///
/// Stricter than a general URL parser, because two readers of one URL must not see two hosts in it.
public struct DocumentURL: Sendable, Hashable {
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
    /// In lower case; an IPv6 address without its brackets.
    public let host: String
    public let port: Int
    /// Host and port as they stand in the URL.
    public let authority: String
    /// Path and query as they stand in the URL, possibly empty.
    public let target: String

    /// nil: not such a URL.
    public init?(_ text: String) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !Self.refused.contains($0) }) else { return nil }
        guard let colon = text.firstIndex(of: ":"), let scheme = Scheme(rawValue: text[..<colon].lowercased()) else { return nil }
        let rest = text[text.index(after: colon)...]
        guard rest.hasPrefix("//") else { return nil }
        let authorityAndTarget = rest.dropFirst(2)
        let end = authorityAndTarget.firstIndex { $0 == "/" || $0 == "?" } ?? authorityAndTarget.endIndex
        let authority = authorityAndTarget[..<end]
        guard let (host, port) = Self.split(authority, scheme: scheme) else { return nil }
        self.scheme = scheme
        self.host = host
        self.port = port
        self.authority = String(authority)
        target = String(authorityAndTarget[end...])
    }

    /// The text form; equal to what was parsed, but for the case of its scheme.
    public var text: String { "\(scheme.rawValue)://\(authority)\(target)" }

    /// Whether the host is this machine by its spelling; what a name resolves to is not looked at.
    public var namesLoopback: Bool {
        host == "localhost" || host.hasSuffix(".localhost") || AddressClass(text: host) == .loopback
    }

    /// No `#`: a fragment is never sent. No `\`, and none of the characters that RFC 3986 leaves out: readers differ about them.
    private static let refused: Set<UInt8> = Set("#\\\"<>^`{|}".utf8)

    private static func split(_ authority: Substring, scheme: Scheme) -> (host: String, port: Int)? {
        var host = authority
        var portText: Substring?
        if authority.first == "[" {
            guard let close = authority.firstIndex(of: "]") else { return nil }
            host = authority[authority.index(after: authority.startIndex)..<close]
            let after = authority[authority.index(after: close)...]
            guard after.isEmpty || after.first == ":", AddressClass.isIPv6(String(host)) else { return nil }
            portText = after.isEmpty ? nil : after.dropFirst()
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                portText = authority[authority.index(after: colon)...]
            }
            guard !host.isEmpty, host.utf8.allSatisfy(isHostByte) else { return nil }
        }
        guard let portText else { return (host.lowercased(), scheme.defaultPort) }
        guard portText.utf8.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }), let port = Int(portText), (1...65535).contains(port) else {
            return nil
        }
        return (host.lowercased(), port)
    }

    /// Letters, digits, `-`, `.` and `_`: the names and IPv4 addresses that resolvers agree about.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
    }
}
