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
        groups = configuration.upstreams.mapped { group in GroupPool(group, fleets.fleet(for: group), pool) }
        pool.keepOnly(Set(groups.flatMap(\.targets)))
    }

    /// Takes over the targets of fleets that have others now; those that left lose their idle connections.
    func followFleets() {
        var areOthers = false
        for group in groups where group.followFleet() { areOthers = true }
        if areOthers { pool.keepOnly(Set(groups.flatMap(\.targets))) }
    }

    /// The next target of a group; nil if it has none that could take the request.
    ///
    /// - Parameters:
    ///   - tried: the targets that failed it.
    ///   - key: the value of a field by which it is hashed; asked only where the file says so.
    ///   - caller: what stands for the claim by which it is hashed; nil: there is none.
    func nextTarget(
        of upstream: UpstreamIndex, in configuration: ProxyConfiguration, avoiding tried: TargetSet, at now: Int64, caller: UInt64?,
        key: (FieldName) -> UInt64?
    ) -> TargetLease? {
        if configuration === self.configuration { return groups[upstream]?.next(avoiding: tried, at: now, caller: caller, key: key) }
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
    private let pool: UpstreamPool
    private let fleet: SharedFleet?
    /// By which field requests are hashed; nil: by none, but perhaps by their caller.
    private let hashField: FieldName?
    /// By their index in the fleet.
    private var pools: [TargetPool] = []
    /// Those that take requests.
    private(set) var targets: [UpstreamTarget]
    /// Of the fleet's targets.
    private var generation: UInt64 = 0
    /// Whether the pool of all groups was told.
    private var isTold = true

    init(_ group: UpstreamGroup, _ fleet: SharedFleet?, _ pool: UpstreamPool) {
        self.fleet = fleet
        self.pool = pool
        targets = group.targets
        if case .hash(.field(let field))? = fleet?.group.fleet.balance { hashField = FieldName(field) } else { hashField = nil }
        if let fleet { take(fleet) } else { pools = group.targets.map(pool.pool) }
    }

    private func take(_ fleet: SharedFleet) {
        let (byIndex, members, generation) = fleet.targets
        self.generation = generation
        targets = members
        pools = byIndex.map(pool.pool)
        isTold = false
    }

    /// Whether there were other targets since the last call.
    func followFleet() -> Bool {
        guard let fleet, fleet.followsNames else { return false }
        if fleet.generation != generation { take(fleet) }
        defer { isTold = true }
        return !isTold
    }

    /// The next target; nil if there is none that could take the request.
    func next(avoiding tried: TargetSet, at now: Int64, caller: UInt64?, key: (FieldName) -> UInt64?) -> TargetLease? {
        guard let fleet else { return pools.first.map { TargetLease(pool: $0, seat: nil) } }
        guard let (choice, generation) = fleet.choose(key: hashField.map(key) ?? caller, avoiding: tried, at: now) else { return nil }
        if generation != self.generation { take(fleet) }
        guard pools.indices.contains(choice.target) else {
            fleet.released(choice)
            return nil
        }
        return TargetLease(pool: pools[choice.target], seat: FleetSeat(fleet: fleet, choice: choice))
    }
}

@available(*, unavailable)
extension GroupPool: Sendable {}
