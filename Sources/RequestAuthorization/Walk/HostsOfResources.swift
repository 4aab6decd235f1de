import AccessControl
import TokenVerification

/// The hosts that have resources, and the resources of each.
struct HostsOfResources {
    /// Each host once, with its port if a place has one.
    private(set) var all: [PlacePattern] = []
    /// Indices of resources, by host.
    private var resources: [PlacePattern: Set<Int>] = [:]
    /// Indices of the resources that are on any host.
    private var everywhere: Set<Int> = []

    /// - Parameter places: the places of each resource.
    init(_ places: [[PlacePattern]]) {
        for (index, places) in places.enumerated() {
            for place in places { add(index, at: place.withoutPath) }
        }
    }

    private mutating func add(_ index: Int, at host: PlacePattern) {
        if resources[host] == nil { all.append(host) }
        resources[host, default: []].insert(index)
        if host == host.onAnyHost { everywhere.insert(index) }
    }

    /// The only resource at a host. Nil if there are several.
    func soleResource(at host: PlacePattern) -> Int? {
        let here = everywhere.union(resources[host] ?? [])
        return here.count == 1 ? here.first : nil
    }
}

/// Lookup of the only resource of a host; it also works for a request whose path is invalid.
struct SoleResources: Sendable {
    private let hosts: PlaceTable?
    private let resources: IndexedBy<PlaceIndex, ResourceIndex?>

    /// - Parameter places: the places of each resource.
    init(_ places: [[PlacePattern]]) {
        let hosts = HostsOfResources(places)
        self.hosts = hosts.all.isEmpty ? nil : try? PlaceTable(hosts.all)
        resources = IndexedBy(hosts.all.map { hosts.soleResource(at: $0).map { ResourceIndex($0) } })
    }

    /// The only resource at the request's host. Nil if the host has several or none.
    func resource(of request: borrowing AuthorizationRequest) -> ResourceIndex? {
        guard let match = hosts?.match(request, reading: RequestPath()) else { return nil }
        return resources[match.placeIndex] ?? nil
    }
}
