/// A place of a resource: `/path`, or `host[:port][/path]`; the host may begin with `*.`.
public struct Place: Hashable, Sendable {
    /// Kinds of hosts, in order of precedence.
    enum HostKind: CaseIterable { case exact, wildcard, any }

    public let text: String
    let kind: HostKind
    /// The host, or the part after `*.`.
    let host: String
    let port: Int?
    let path: [String]

    public init(_ text: String) {
        self.text = text
        let authority = text.prefix { $0 != "/" }
        let parts = authority.split(separator: ":")
        let host = parts.first.map(String.init) ?? ""
        kind = host.isEmpty ? .any : host.hasPrefix("*.") ? .wildcard : .exact
        self.host = host.hasPrefix("*.") ? String(host.dropFirst(2)) : host
        port = parts.count > 1 ? Int(parts[1]) : nil
        path = text.dropFirst(authority.count).split(separator: "/").map(String.init)
    }

    func covers(_ host: String, _ port: Int?, _ segments: [String]) -> Bool {
        let isHost =
            switch kind {
            case .exact: host == self.host
            case .wildcard: host.drop { $0 != "." } == "." + self.host
            case .any: true
            }
        return isHost && (self.port == nil || self.port == port) && segments.starts(with: path)
    }
}
