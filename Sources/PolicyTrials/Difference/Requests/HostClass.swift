import AccessControl

/// A host and port to try. It represents all hosts and ports that the places of both files treat alike.
struct HostClass: Hashable {
    /// The host. Nil if no place names the host of the request, so that a path is enough to describe it.
    let host: String?
    let port: Int?

    /// Part of the URL before the path. Empty if `host` is nil.
    var origin: String { host.map { "https://\($0)" + (port.map { ":\($0)" } ?? "") } ?? "" }

    /// Host of the request to judge; `localhost` if `host` is nil.
    var name: String { host ?? "localhost" }

    static func all(of places: [PlacePattern]) -> [HostClass] {
        let exact = Set(places.compactMap { $0.host(label: "*") }.filter { !$0.hasPrefix("*.") })
        let label =
            ["any", "some", "other"].first { label in !places.contains { $0.isTaken(label, exact) } } ?? "any-label"
        let named = Set(places.compactMap { $0.host(label: label) })
        let other = named.contains("localhost") || named.contains { $0.hasSuffix(".localhost") } ? "any.invalid" : nil
        let anywhere = places.contains { $0.host(label: label) == nil }
        let ports: [Int?] = [nil] + Set(places.compactMap(\.port)).sorted()
        let hosts = named.sorted().map { Optional($0) } + (anywhere ? [other] : [])
        return hosts.flatMap { host in
            // A URL without a host has no port either; a place for any host names none.
            host == nil ? [HostClass(host: nil, port: nil)] : ports.map { HostClass(host: host, port: $0) }
        }
    }

    /// Whether a place matches this host. Its port is not compared.
    func isCovered(by place: PlacePattern) -> Bool {
        guard let host else { return place.host(label: "x") == nil }
        let label = host.prefix { $0 != "." }
        return place.host(label: String(label)).map { $0 == host } ?? true
    }
}

extension PlacePattern {
    /// Whether the wildcard pattern, with this label instead of `*`, gives a host that another place names exactly.
    fileprivate func isTaken(_ label: String, _ exact: Set<String>) -> Bool {
        guard let host = host(label: "*"), host.hasPrefix("*.") else { return false }
        return exact.contains(label + host.dropFirst())
    }
}
