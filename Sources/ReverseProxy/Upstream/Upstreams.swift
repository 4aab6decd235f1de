import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification
import UpstreamFleets

/// The upstreams of one event loop: the groups of its configuration, and the connections to them.
final class Upstreams {
    private let pool: UpstreamPool
    private let fleets: FleetDirectory
    private var groups: IndexedBy<UpstreamIndex, GroupPool> = []
    private var configuration: ProxyConfiguration

    /// - Parameters:
    ///   - attempts: where the loop counts what its targets do.
    ///   - loop: the number of the event loop.
    init(_ configuration: ProxyConfiguration, _ fleets: FleetDirectory, _ attempts: UpstreamTally, loop: Int = 0) {
        pool = UpstreamPool(attempts, loop: loop)
        self.fleets = fleets
        self.configuration = configuration
        reload(configuration)
    }

    /// Targets that are no longer named lose their connections.
    func reload(_ configuration: ProxyConfiguration) {
        self.configuration = configuration
        groups = configuration.upstreams.mapped { group in GroupPool(group, fleets.fleet(for: group), pool) }
        pool.keepOnly(Set(groups.flatMap(\.keys)))
    }

    /// Takes over the targets of fleets that have others now; those that left lose their idle connections.
    func followFleets() {
        var areOthers = false
        for group in groups where group.followFleet() { areOthers = true }
        if areOthers { pool.keepOnly(Set(groups.flatMap(\.keys))) }
    }

    /// The next target of a group, or why there is none.
    ///
    /// - Parameters:
    ///   - tried: the targets that failed it.
    ///   - key: the value of a field by which it is hashed; asked only where the file says so.
    ///   - caller: what stands for the claim by which it is hashed; nil: there is none.
    ///   - completion: called once, on any thread, if the request has to wait for its place; asked only where places
    ///     are bounded.
    func nextTarget(
        of upstream: UpstreamIndex, in configuration: ProxyConfiguration, avoiding tried: TargetSet, at now: Int64,
        caller: UInt64?, key: (FieldName) -> UInt64?,
        completion: (_ fleet: SharedFleet) -> @Sendable (FleetChoice?) -> Void
    ) -> NextTarget {
        if let group = group(upstream, in: configuration) {
            return group.next(avoiding: tried, at: now, caller: caller, key: key, completion: completion)
        }
        // A request of an earlier generation, whose upstream is not the same any more.
        guard let target = configuration.upstreams[upstream]?.targets.randomElement() else { return .unavailable }
        return .lease(TargetLease(pool: pool.pool(for: target), seat: nil))
    }

    private func group(_ upstream: UpstreamIndex, in configuration: ProxyConfiguration) -> GroupPool? {
        guard configuration !== self.configuration else { return groups[upstream] }
        // It waited for keys or for a place while the configuration changed.
        guard let group = configuration.upstreams[upstream] else { return nil }
        return groups.first { $0.group == group }
    }

    /// The target of a request that waited for its place, and has it now.
    func lease(_ choice: FleetChoice, of fleet: SharedFleet) -> TargetLease? {
        if let group = groups.first(where: { $0.fleet === fleet }) { return group.lease(choice) }
        // The upstream has left the configuration. What it still has to do leaves no connection behind.
        guard let target = fleet.target(of: choice) else { return nil }
        return TargetLease(pool: pool.retiredPool(for: target), seat: seat(fleet, choice))
    }

    /// Gives back the place of a request that has gone.
    func giveBack(_ choice: FleetChoice, of fleet: SharedFleet) {
        var seat = seat(fleet, choice)
        seat.leave()
    }

    private func seat(_ fleet: SharedFleet, _ choice: FleetChoice) -> FleetSeat {
        FleetSeat(fleet: fleet, choice: choice, on: pool.loop)
    }

    /// Closes an idle connection whose place a request of another loop has.
    func closeIdle(of fleet: SharedFleet, _ choice: FleetChoice) { pool.closeIdle(of: fleet, choice) }

    /// Closes what has been idle for long enough.
    func expire(at tick: UInt64) { pool.expire(at: tick) }

    func closeAll() { pool.closeAll() }
}

@available(*, unavailable)
extension Upstreams: Sendable {}

/// What becomes of an attempt at a request.
enum NextTarget {
    case lease(TargetLease)
    /// It waits for its place.
    case waits(SharedFleet, FleetTicket)
    /// It has a place as soon as another event loop has closed an idle connection.
    case replaces(SharedFleet)
    /// As many wait as may.
    case full
    /// No target can take it.
    case unavailable
}

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
    private(set) var isConnecting = false
    /// Whether its place is that of an idle connection of its own loop, which is still there.
    private var owesIdle: Bool

    /// - Parameter loop: the number of the request's event loop.
    init(fleet: SharedFleet, choice: FleetChoice, on loop: Int) {
        self.fleet = fleet
        self.choice = choice
        owesIdle = choice.replacedOn == loop
    }

    /// The choice, if the request has to use or close an idle connection now, because it has the place of one.
    mutating func takeReplacement() -> FleetChoice? {
        defer { owesIdle = false }
        return owesIdle ? choice : nil
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

    /// Gives the place back.
    mutating func leave() {
        connectionEnded()
        if owesIdle { fleet.idleReplaced(choice, ended: 0) }
        owesIdle = false
        fleet.released(choice)
    }
}

/// The targets of one group, on one loop.
final class GroupPool {
    let group: UpstreamGroup
    /// nil: there is nothing to choose.
    let fleet: SharedFleet?
    private let pool: UpstreamPool
    /// By which field requests are hashed; nil: by none, but perhaps by their caller.
    private let hashField: FieldName?
    /// By their index in the fleet.
    private var pools: [TargetPool] = []
    /// Of the targets that take requests.
    private(set) var keys: [UpstreamPool.Key] = []
    /// Of the fleet's targets.
    private var generation: UInt64 = 0
    /// Whether the pool of all groups was told.
    private var isTold = true

    init(_ group: UpstreamGroup, _ fleet: SharedFleet?, _ pool: UpstreamPool) {
        self.group = group
        self.fleet = fleet
        self.pool = pool
        if case .hash(.field(let field))? = fleet?.group.fleet.balance {
            hashField = FieldName(field)
        } else {
            hashField = nil
        }
        if fleet == nil {
            pools = group.targets.map { pool.pool(for: $0) }
            keys = group.targets.map { UpstreamPool.Key($0) }
        } else {
            take()
        }
    }

    private func take() {
        guard let fleet else { return }
        let (byIndex, members, generation) = fleet.targets
        self.generation = generation
        pools = byIndex.enumerated().map { pool.pool(for: $0.element, of: fleet, at: $0.offset) }
        keys = members.map { UpstreamPool.Key(byIndex[$0], of: fleet, at: $0) }
        isTold = false
    }

    /// Whether there were other targets since the last call.
    func followFleet() -> Bool {
        guard let fleet, fleet.followsNames else { return false }
        if fleet.generation != generation { take() }
        defer { isTold = true }
        return !isTold
    }

    /// The next target, or why there is none.
    func next(
        avoiding tried: TargetSet, at now: Int64, caller: UInt64?, key: (FieldName) -> UInt64?,
        completion: (_ fleet: SharedFleet) -> @Sendable (FleetChoice?) -> Void
    ) -> NextTarget {
        guard let fleet else { return pools.first.map { .lease(TargetLease(pool: $0, seat: nil)) } ?? .unavailable }
        let request = fleet.isBounded ? WaitingRequest(on: pool.loop, completion(fleet)) : nil
        let (answer, generation) = fleet.ask(key: hashField.map(key) ?? caller, avoiding: tried, for: request, at: now)
        switch answer {
        case .target(let choice):
            if generation != self.generation { take() }
            if let request, choice.replacedOn ?? request.loop != request.loop {
                fleet.admit(request, choice)
                return .replaces(fleet)
            }
            return seat(at: choice, of: fleet).map { .lease($0) } ?? .unavailable
        case .wait(let ticket): return .waits(fleet, ticket)
        case .full: return .full
        case .unavailable: return .unavailable
        }
    }

    /// The target of a request that waited for its place, and has it now.
    func lease(_ choice: FleetChoice) -> TargetLease? {
        guard let fleet else { return nil }
        if fleet.generation != generation { take() }
        return seat(at: choice, of: fleet)
    }

    private func seat(at choice: FleetChoice, of fleet: SharedFleet) -> TargetLease? {
        guard pools.indices.contains(choice.target) else {
            fleet.released(choice)
            return nil
        }
        return TargetLease(pool: pools[choice.target], seat: FleetSeat(fleet: fleet, choice: choice, on: pool.loop))
    }
}

@available(*, unavailable)
extension GroupPool: Sendable {}
