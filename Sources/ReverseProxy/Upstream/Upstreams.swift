import HTTPMessages
import ProxySettings
import RequestAuthorization
import TypedIndices
import UpstreamFleets

/// The upstreams of one event loop: the groups of its configuration, and the connections to them.
final class Upstreams {
    private let pool: UpstreamPool
    private let fleets: FleetDirectory
    private var groups: IndexedBy<UpstreamIndex, GroupPool> = []
    private var configuration: ProxyConfiguration

    init(_ configuration: ProxyConfiguration, _ fleets: FleetDirectory, _ attempts: UpstreamTally) {
        pool = UpstreamPool(attempts)
        self.fleets = fleets
        self.configuration = configuration
        reload(configuration)
    }

    /// Targets that are no longer named lose their connections.
    func reload(_ configuration: ProxyConfiguration) {
        self.configuration = configuration
        pool.keepOnly(Set(configuration.upstreams.flatMap(\.targets)))
        groups = configuration.upstreams.mapped { group in GroupPool(group.targets.map(pool.pool), fleets.fleet(for: group)) }
    }

    /// The next target of a group; nil if it has none that could take the request.
    ///
    /// - Parameters:
    ///   - tried: the targets that failed it.
    ///   - key: what it is hashed by; asked only where the file says so.
    func nextTarget(
        of upstream: UpstreamIndex, in configuration: ProxyConfiguration, avoiding tried: TargetSet, at now: Int64,
        key: (FieldName) -> UInt64?
    ) -> TargetLease? {
        if configuration === self.configuration { return groups[upstream]?.next(avoiding: tried, at: now, key: key) }
        // A request of an earlier generation: it waited for keys while the configuration changed.
        return configuration.upstreams[upstream]?.targets.randomElement().map { TargetLease(pool: pool.pool(for: $0), seat: nil) }
    }

    /// Closes what has been idle for long enough.
    func expire(at tick: UInt64) { pool.expire(at: tick) }

    func closeAll() { pool.closeAll() }
}

@available(*, unavailable)
extension Upstreams: Sendable {}

/// A target for one attempt at a request.
struct TargetLease {
    let pool: TargetPool
    /// Its place in the fleet; nil where there is nothing to choose.
    let seat: FleetSeat?
}

/// A request's place at a target of a fleet.
struct FleetSeat {
    let fleet: SharedFleet
    let choice: FleetChoice
    /// Whether a new connection is being made for it.
    private var isConnecting = false

    init(fleet: SharedFleet, choice: FleetChoice) {
        self.fleet = fleet
        self.choice = choice
    }

    mutating func connectionBegan() {
        isConnecting = true
        fleet.connectionBegan(choice)
    }

    /// The connection is there, or will not come.
    mutating func connectionEnded() {
        guard isConnecting else { return }
        isConnecting = false
        fleet.connectionEnded(choice)
    }
}

/// The targets of one group, on one loop.
final class GroupPool {
    private let targets: [TargetPool]
    private let fleet: SharedFleet?
    /// By which field requests are hashed; nil: by none.
    private let hashField: FieldName?

    init(_ targets: [TargetPool], _ fleet: SharedFleet?) {
        self.targets = targets
        self.fleet = fleet
        if case .hash(let field)? = fleet?.group.fleet.balance { hashField = FieldName(field) } else { hashField = nil }
    }

    /// The next target; nil if there is none that could take the request.
    func next(avoiding tried: TargetSet, at now: Int64, key: (FieldName) -> UInt64?) -> TargetLease? {
        guard let fleet else { return targets.first.map { TargetLease(pool: $0, seat: nil) } }
        guard let choice = fleet.choose(key: hashField.flatMap(key), avoiding: tried, at: now), targets.indices.contains(choice.target)
        else { return nil }
        return TargetLease(pool: targets[choice.target], seat: FleetSeat(fleet: fleet, choice: choice))
    }
}

@available(*, unavailable)
extension GroupPool: Sendable {}
