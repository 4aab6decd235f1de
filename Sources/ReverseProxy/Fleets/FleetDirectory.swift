import Logging
import ProxySettings
import Synchronization

/// The fleets of a gateway: a reload that leaves an upstream as it is leaves its fleet as it is too.
final class FleetDirectory: Sendable {
    private let fleets = Mutex<[UpstreamGroup: SharedFleet]>([:])
    private let logger: Logger
    /// Of all fleets.
    let closers = IdleClosers()

    init(logger: Logger) {
        self.logger = logger
    }

    /// The fleet of a group; nil if there is nothing to choose, to ask or to bound.
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

    /// Takes over what is known of names whose addresses are targets; called a few times a second.
    func follow(_ names: NameResolver, at now: Int64) {
        for fleet in fleets.withLock({ $0.values.filter(\.followsNames) }) { fleet.follow(names, at: now) }
    }

    /// Forgets the fleets of all other groups.
    func keep(_ groups: Set<UpstreamGroup>) {
        fleets.withLock { fleets in fleets = fleets.filter { groups.contains($0.key) } }
    }
}
