import NetworkNames

/// A single origin, all origins whose host is one label followed by a fixed name, or this machine's origins of every
/// port (RFC 6454 §4).
///
/// Read from `scheme://host[:port]`, where the host may begin with `*.`, or from `http://localhost:*` and
/// `http://127.0.0.1:*`. Compared without regard to case.
public struct OriginPattern: Sendable, Hashable, CustomStringConvertible {
    /// Beginning of the origin: `scheme://` and, unless the host has a wildcard, the host and port. In lower case and
    /// without the scheme's default port, as browsers send it.
    private let start: [UInt8]
    private let rest: Rest

    /// Form of an origin after ``start``.
    private enum Rest: Sendable, Hashable {
        case nothing
        /// One label, and then these bytes.
        case label(end: [UInt8])
        /// A colon and a port of one to five digits, or nothing, as browsers write the scheme's default port.
        case anyPort
    }

    public init(_ text: String) throws(OriginRejection) {
        guard text != "null" else { throw .null }
        let (scheme, authority) = try Self.parts(of: text)
        if authority.hasSuffix(":*") {
            let host = authority.dropLast(2).lowercased()
            // On any other host, another port may be the server of somebody else.
            guard scheme == "http", Self.ownHosts.contains(host) else { throw .wildcardPort }
            (start, rest) = (Array("http://\(host)".utf8), .anyPort)
            return
        }
        let (host, port) = try Self.hostAndPort(in: authority)
        let suffix = port.map { $0 == Self.ownPort(of: scheme) ? "" : ":\($0)" } ?? ""
        switch host {
        case .any: throw .host(.missingHost)
        case .name(let name):
            start = Array("\(scheme)://\(name)\(suffix)".utf8)
            rest = .nothing
        case .address(let address):
            start = Array("\(scheme)://[\(address)]\(suffix)".utf8)
            rest = .nothing
        case .subdomain(let name):
            // Over http, anyone on the network path can serve a page of any host name.
            guard scheme == "https" else { throw .wildcardWithoutTLS }
            start = Array("\(scheme)://".utf8)
            rest = .label(end: Array(".\(name)\(suffix)".utf8))
        }
    }

    /// True if the pattern matches more than one origin.
    public var isWildcard: Bool { rest != .nothing }

    /// True if the pattern matches the origins of all ports of this machine.
    public var isOfAnyPort: Bool { rest == .anyPort }

    /// The only origin that matches, in the spelling of browsers. Nil for a wildcard.
    public var origin: [UInt8]? { isWildcard ? nil : start }

    /// The pattern as the file has it, in lower case and without the scheme's default port.
    public var description: String {
        let start = String(decoding: start, as: UTF8.self)
        return switch rest {
        case .nothing: start
        case .label(let end): "\(start)*\(String(decoding: end, as: UTF8.self))"
        case .anyPort: "\(start):*"
        }
    }

    /// - Parameter origin: the value of the single `Origin` field.
    public func matches(_ origin: Span<UInt8>) -> Bool {
        guard origin.count >= start.count, Self.equals(origin.extracting(first: start.count), start) else {
            return false
        }
        let tail = origin.extracting(start.count..<origin.count)
        switch rest {
        case .nothing: return tail.isEmpty
        case .label(let end):
            guard tail.count > end.count, Self.equals(tail.extracting(last: end.count), end) else { return false }
            return Self.isLabel(tail.extracting(0..<tail.count &- end.count))
        case .anyPort: return tail.isEmpty || Self.isPort(tail)
        }
    }

    /// True if the bytes are a colon and one to five digits.
    private static func isPort(_ bytes: Span<UInt8>) -> Bool {
        guard (2...6).contains(bytes.count), bytes[0] == UInt8(ascii: ":") else { return false }  // in bounds: counted
        for index in 1..<bytes.count where !ASCII.isDigit(bytes[index]) { return false }
        return true
    }

    /// True if the bytes equal the expected ones, ignoring case. Both must have the same length.
    private static func equals(_ bytes: Span<UInt8>, _ expected: [UInt8]) -> Bool {
        for index in bytes.indices where ASCII.lowercased(bytes[index]) != expected[index] { return false }
        return true
    }

    private static func isLabel(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count <= HostPattern.longestLabel else { return false }
        for index in bytes.indices where bytes[index] == UInt8(ascii: ".") || !ASCII.isHostByte(bytes[index]) {
            return false
        }
        return true
    }

    // MARK: Reading

    private static func parts(of text: String) throws(OriginRejection) -> (scheme: String, authority: Substring) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, isScheme(parts[0]) else { throw .missingScheme }
        // A browser sends only scheme, host and port, so an entry with more would never match.
        guard !parts[1].utf8.contains(where: isBeyondAuthority) else { throw .notAlone }
        return (parts[0].lowercased(), parts[1])
    }

    /// True if the text is a scheme (RFC 3986 §3.1).
    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, ASCII.isLetter(first) else { return false }
        return text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || "+-.".utf8.contains($0) }
    }

    private static func isBeyondAuthority(_ byte: UInt8) -> Bool { "/?#@".utf8.contains(byte) }

    private static func hostAndPort(in authority: Substring) throws(OriginRejection) -> (HostPattern, port: Int?) {
        var host = authority
        var port: Int?
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            let digits = authority[authority.index(after: colon)...]
            guard let number = PortNumber.canonical(digits.utf8.span), number > 0 else { throw .port(String(digits)) }
            (host, port) = (authority[..<colon], number)
        }
        do throws(PlaceRejection) {
            return (try HostPattern(host), port)
        } catch {
            throw .host(error)
        }
    }

    /// Hosts that a browser resolves to its own machine.
    private static let ownHosts = ["localhost", "127.0.0.1"]

    private static func ownPort(of scheme: String) -> Int? {
        switch scheme {
        case "https": 443
        case "http": 80
        default: nil
        }
    }
}

/// Reason why a text is not an origin that can be allowed.
public enum OriginRejection: Error, Hashable, Sendable {
    /// The origin `null`, which any page can get from a sandboxed frame.
    case null
    case missingScheme
    /// The text has a path, query, fragment or user name.
    case notAlone
    case host(PlaceRejection)
    case port(String)
    case wildcardWithoutTLS
    /// A `*` for the port of another origin than `http://localhost` and `http://127.0.0.1`.
    case wildcardPort
}
