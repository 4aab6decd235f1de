import AccessControl

/// A host and a port that stand for all that the places of both files treat alike.
struct HostClass: Hashable {
    /// The host. Nil for a host that no place names.
    let host: String?
    let port: Int?

    /// Part of a URL before the path. Without a host, this machine's name, unless a place has it.
    var origin: String { host.map { "https://\($0)" + (port.map { ":\($0)" } ?? "") } ?? "" }

    /// The host as a request has it.
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
            // Without a name there is no port to write; a place for any host names none.
            host == nil ? [HostClass(host: nil, port: nil)] : ports.map { HostClass(host: host, port: $0) }
        }
    }

    /// Whether a place covers it, as far as the host goes.
    func isCovered(by place: PlacePattern) -> Bool {
        guard let host else { return place.host(label: "x") == nil }
        let label = host.prefix { $0 != "." }
        return place.host(label: String(label)).map { $0 == host } ?? true
    }
}

extension PlacePattern {
    /// Whether a host with this label is named by another place.
    fileprivate func isTaken(_ label: String, _ exact: Set<String>) -> Bool {
        guard let host = host(label: "*"), host.hasPrefix("*.") else { return false }
        return exact.contains(label + host.dropFirst())
    }
}
