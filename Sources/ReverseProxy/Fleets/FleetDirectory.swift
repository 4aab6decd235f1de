import Logging
import ProxySettings
import Synchronization

/// Fleets of a gateway. An upstream that a reload does not change keeps its fleet.
final class FleetDirectory: Sendable {
    private let fleets = Mutex<[UpstreamGroup: SharedFleet]>([:])
    private let logger: Logger
    /// Closers of idle connections, shared by all fleets.
    let closers = IdleClosers()

    init(logger: Logger) {
        self.logger = logger
    }

    /// Fleet of a group. Nil if there is nothing to choose, to check or to bound.
    func fleet(for group: UpstreamGroup) -> SharedFleet? {
        let isOneServer = group.targets.count < 2 && !group.targets.contains(where: \.isEveryAddress)
        guard !isOneServer || group.fleet.health != nil || group.fleet.connections != nil else { return nil }
        return fleets.withLock { fleets in
            if let fleet = fleets[group] { return fleet }
            let fleet = SharedFleet(group, closers: closers, logger: logger)
            fleets[group] = fleet
            return fleet
        }
    }

    /// Updates the fleets whose targets are the addresses of names. Called a few times a second.
    func follow(_ names: NameResolver, at now: Int64) {
        for fleet in fleets.withLock({ $0.values.filter(\.followsNames) }) { fleet.follow(names, at: now) }
    }

    /// Removes the fleets of all other groups.
    func keep(_ groups: Set<UpstreamGroup>) {
        fleets.withLock { fleets in fleets = fleets.filter { groups.contains($0.key) } }
    }
}
