import FoundationEssentials
import NetworkNames

/// Proxy settings from `HTTPS_PROXY` and `NO_PROXY`, read as curl and Go read them. Variables with lower-case names
/// have priority.
///
/// Only https goes through a proxy: plain http is for loopback and local networks. Requests to loopback never go
/// through a proxy.
public struct ProxyEnvironment: Sendable, Hashable {
    /// An HTTP proxy, used with the CONNECT method.
    public struct Proxy: Sendable, Hashable {
        public let host: String
        public let port: Int
        public let credentials: Credentials?
    }

    public struct Credentials: Sendable, Hashable {
        public let username: String
        public let password: String
    }

    private let httpsProxy: String?
    private let exceptions: [Exception]

    public init(environment: [String: String]) {
        httpsProxy = environment["https_proxy"].nonEmpty ?? environment["HTTPS_PROXY"].nonEmpty
        let list = environment["no_proxy"].nonEmpty ?? environment["NO_PROXY"].nonEmpty ?? ""
        exceptions = list.split(whereSeparator: { $0 == "," || $0 == " " }).map { Exception(String($0)) }
    }

    /// Settings without a proxy.
    public static let none = ProxyEnvironment(environment: [:])

    /// The proxy through which a document is fetched. Nil if there is none. A proxy setting that cannot be read is an
    /// error, never a direct connection.
    public func proxy(for url: HTTPURL) throws(KeySetFetchFailure) -> Proxy? {
        guard url.scheme == .https, let httpsProxy, !url.namesLoopback else { return nil }
        guard !exceptions.contains(where: { $0.covers(url) }) else { return nil }
        return try Proxy(parsing: httpsProxy)
    }
}

extension ProxyEnvironment.Proxy {
    /// Reads `http://[user:password@]host[:port]`. The scheme is optional.
    init(parsing text: String) throws(KeySetFetchFailure) {
        var rest = text[...]
        if let scheme = text.firstRange(of: "://") {
            guard text[..<scheme.lowerBound].lowercased() == "http" else {
                throw .proxyInvalid("only http:// proxies are supported")
            }
            rest = text[scheme.upperBound...]
        }
        var credentials: ProxyEnvironment.Credentials?
        if let at = rest.lastIndex(of: "@") {
            credentials = try ProxyEnvironment.Credentials(parsing: rest[..<at])
            rest = rest[rest.index(after: at)...]
        }
        // The default port is 80, as the scheme defines, and as other clients use it.
        guard let url = HTTPURL("http://\(rest)"), url.target.isEmpty || url.target == "/" else {
            throw .proxyInvalid("it is not a URL")
        }
        self.init(host: url.host, port: url.port, credentials: credentials)
    }
}

extension ProxyEnvironment.Credentials {
    fileprivate init(parsing text: Substring) throws(KeySetFetchFailure) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(Self.decoded)
        guard let first = parts.first, let username = first else {
            throw .proxyInvalid("its user name is not percent-encoded UTF-8")
        }
        guard parts.count == 2 else {
            self.init(username: username, password: "")
            return
        }
        guard let last = parts.last, let password = last else {
            throw .proxyInvalid("its password is not percent-encoded UTF-8")
        }
        self.init(username: username, password: password)
    }

    /// Decodes a part of a URL's user information (RFC 3986 §2.1). Nil if it is not percent-encoded UTF-8.
    private static func decoded(_ part: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = part.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(ASCII.hexDigit), let low = rest.popFirst().flatMap(ASCII.hexDigit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension ProxyEnvironment {
    /// Entry of `NO_PROXY`: hosts that are reached without a proxy.
    private enum Exception: Sendable, Hashable {
        case everything
        /// A host name and all its subdomains, at one port or at any port.
        case name(String, port: Int?)
        /// A network. It covers only hosts that are written as addresses of the same IP version: an IPv4 network does
        /// not cover IPv6 spellings of its addresses.
        case network(AddressRange, isIPv6: Bool)

        init(_ text: String) {
            let entry = text.lowercased()
            if entry == "*" {
                self = .everything
            } else if let network = Self.network(entry) {
                self = network
            } else {
                self = Self.name(entry)
            }
        }

        private static func network(_ entry: String) -> Exception? {
            let parts = entry.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            guard let first = parts.first.map(unbracketed), let address = IPAddress(first) else { return nil }
            let isIPv6 = first.utf8.contains(UInt8(ascii: ":"))
            let longest = isIPv6 ? 128 : 32
            guard parts.count == 2, let last = parts.last else {
                return .network(AddressRange(of: address, bits: 128), isIPv6: isIPv6)
            }
            guard let prefix = Int(last), (0...longest).contains(prefix) else { return nil }
            return .network(AddressRange(of: address, bits: 128 - longest + prefix), isIPv6: isIPv6)
        }

        private static func name(_ entry: String) -> Exception {
            var name = entry[...]
            var port: Int?
            if let colon = name.lastIndex(of: ":"), let number = Int(name[name.index(after: colon)...]) {
                port = number
                name = name[..<colon]
            }
            if name.hasPrefix("*.") { name = name.dropFirst(2) }
            return .name(String(name.drop { $0 == "." }), port: port)
        }

        private static func unbracketed(_ text: Substring) -> Substring {
            text.hasPrefix("[") && text.hasSuffix("]") ? text.dropFirst().dropLast() : text
        }

        func covers(_ url: HTTPURL) -> Bool {
            switch self {
            case .everything:
                true
            case .name(let name, let port):
                !name.isEmpty && (url.host == name || url.host.hasSuffix(".\(name)"))
                    && (port == nil || port == url.port)
            case .network(let network, let isIPv6):
                url.host.utf8.contains(UInt8(ascii: ":")) == isIPv6
                    && IPAddress(url.host).map(network.contains) ?? false
            }
        }
    }
}

extension Optional where Wrapped == String {
    fileprivate var nonEmpty: String? {
        flatMap { $0.isEmpty ? nil : $0 }
    }
}
