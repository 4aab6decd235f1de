import NetworkNames

/// Place of a resource: a host, an optional port, and a path prefix of whole segments.
public struct PlacePattern: Sendable, Hashable {
    let host: HostPattern
    /// The port. Nil for any port.
    public let port: Int?
    /// The decoded segments of the path prefix.
    public let segments: [[UInt8]]

    /// Reads an entry of `at`. `/x` is at any host. Otherwise the form is `host[:port][/path]`, where the host may
    /// begin with `*.` for exactly one label.
    public init(at text: String) throws(PlaceRejection) {
        guard !text.isEmpty else { throw .empty }
        guard !text.contains("://") else { throw .scheme }
        try self.init(hostAndPath: text[...])
    }

    /// Reads a resource identifier (RFC 8707 §2). Nil if it is not an `http` or `https` URL, and therefore only a name.
    ///
    /// The scheme is ignored. The port only counts if it is written.
    public init?(resourceIdentifier: String) throws(PlaceRejection) {
        guard let scheme = ["https://", "http://"].first(where: { Self.text(resourceIdentifier, beginsWith: $0) })
        else { return nil }
        let rest = resourceIdentifier.utf8.dropFirst(scheme.utf8.count)
        guard let first = rest.first, first != UInt8(ascii: "/") else { throw .missingHost }
        try self.init(hostAndPath: Substring(rest))
        if case .subdomain = host { throw .wildcardHost(host.description) }
    }

    /// The place at the same host and port whose path is these segments followed by this place's path.
    public func below(_ names: [String]) -> PlacePattern {
        PlacePattern(host: host, port: port, segments: names.map { Array($0.utf8) } + segments)
    }

    /// The place with the same path at any host and port.
    public var onAnyHost: PlacePattern { PlacePattern(host: .any, port: nil, segments: segments) }

    /// The place that covers everything at the same host and port.
    public var withoutPath: PlacePattern { PlacePattern(host: host, port: port, segments: []) }

    private init(host: HostPattern, port: Int?, segments: [[UInt8]]) {
        self.host = host
        self.port = port
        self.segments = segments
    }

    /// The host as an address to listen on. Nil unless it is a loopback address.
    public var loopbackAddress: String? {
        switch host {
        case .name(let name) where IPAddress(name)?.addressClass == .loopback: name
        case .address(let address) where address.addressClass == .loopback: host.description
        case .any, .name, .subdomain, .address: nil
        }
    }

    /// Number of leading segments of a request's path that belong to the place.
    public var segmentCount: Int { segments.count }

    /// The path in its canonical form. Empty for a place that is a whole host.
    public var path: String { segments.map { "/" + PathLiteral.description(of: $0) }.joined() }

    /// True if a segment has a `;`. A place with one never matches, because segments are matched without their path
    /// parameters.
    public var hasParameters: Bool {
        segments.contains { $0.contains(UInt8(ascii: ";")) }
    }

    /// True if the place is a single word. It is read as a host, but may have been meant as a path: `api` for `/api`.
    public var isBareWord: Bool {
        guard case .name(let name) = host, name != "localhost" else { return false }
        return port == nil && segments.isEmpty && !name.utf8.contains(UInt8(ascii: "."))
    }

    private init(hostAndPath text: Substring) throws(PlaceRejection) {
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw .fragment }
        guard !text.utf8.contains(UInt8(ascii: "?")) else { throw .query }
        let slash = text.utf8.firstIndex(of: UInt8(ascii: "/")) ?? text.endIndex
        (host, port) = try Self.hostAndPort(text[..<slash])
        segments = try Self.segments(text[slash...])
    }

    private static func hostAndPort(_ text: Substring) throws(PlaceRejection) -> (HostPattern, Int?) {
        guard !text.isEmpty else { return (.any, nil) }
        guard !text.utf8.contains(UInt8(ascii: "@")) else { throw .userinfo }
        guard let parts = HostAndPort(text) else { throw .invalidAddress(String(text)) }
        guard parts.isBracketed || !parts.rest.utf8.dropFirst().contains(UInt8(ascii: ":")) else {
            throw .unbracketedAddress(String(text))
        }
        // A bracketed host is parsed with its brackets.
        let host = try HostPattern(text[..<parts.rest.startIndex])
        guard !parts.rest.isEmpty else { return (host, nil) }
        guard let digits = parts.port, let port = PortNumber.canonical(digits.utf8.span), port > 0 else {
            throw .invalidPort(String(parts.rest))
        }
        return (host, port)
    }

    private static func segments(_ path: Substring) throws(PlaceRejection) -> [[UInt8]] {
        guard !path.utf8.contains(where: { [UInt8(ascii: "*"), UInt8(ascii: "{"), UInt8(ascii: "}")].contains($0) })
        else {
            throw .wildcardPath
        }
        do {
            return try PathLiteral.segments(path)
        } catch {
            throw .path(error)
        }
    }

    private static func text(_ text: String, beginsWith scheme: String) -> Bool {
        text.utf8.count >= scheme.utf8.count && zip(text.utf8, scheme.utf8).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
}

extension PlacePattern: CustomStringConvertible {
    public var description: String {
        let authority = host.description + (port.map { ":\($0)" } ?? "")
        return authority.isEmpty && path.isEmpty ? "/" : authority + path
    }
}
