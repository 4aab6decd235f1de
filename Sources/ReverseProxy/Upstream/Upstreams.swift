import HTTPMessages
import ProxySettings
import RequestAuthorization
import TokenVerification
import UpstreamFleets

/// Upstreams of one event loop: the groups of its configuration, and the connections to them.
final class Upstreams {
    private let pool: UpstreamPool
    private let fleets: FleetDirectory
    private var groups: IndexedBy<UpstreamIndex, GroupPool> = []
    private var configuration: ProxyConfiguration

    /// - Parameters:
    ///   - attempts: the loop's counters of attempts at its targets.
    ///   - loop: number of the event loop.
    init(_ configuration: ProxyConfiguration, _ fleets: FleetDirectory, _ attempts: UpstreamTally, loop: Int = 0) {
        pool = UpstreamPool(attempts, loop: loop)
        self.fleets = fleets
        self.configuration = configuration
        reload(configuration)
    }

    /// Switches to a new configuration. Targets that it no longer names lose their connections.
    func reload(_ configuration: ProxyConfiguration) {
        self.configuration = configuration
        groups = configuration.upstreams.mapped { group in GroupPool(group, fleets.fleet(for: group), pool) }
        pool.keepOnly(Set(groups.flatMap(\.keys)))
    }

    /// Takes over changed targets of the fleets. Targets that left lose their idle connections.
    func followFleets() {
        var areOthers = false
        for group in groups where group.followFleet() { areOthers = true }
        if areOthers { pool.keepOnly(Set(groups.flatMap(\.keys))) }
    }

    /// Next target of a group for a request, or the reason that there is none.
    ///
    /// - Parameters:
    ///   - tried: targets that failed this request.
    ///   - key: hash of the value of a field, for `hash` balancing by field; called only then.
    ///   - caller: hash of the claim that `hash` balancing uses. Nil if there is none.
    ///   - completion: makes the callback for a request that waits for a slot; used only if connections are bounded.
    ///     The callback is called once, on any thread.
    func nextTarget(
        of upstream: UpstreamIndex, in configuration: ProxyConfiguration, avoiding tried: TargetSet, at now: Int64,
        caller: UInt64?, key: (FieldName) -> UInt64?,
        completion: (_ fleet: SharedFleet) -> @Sendable (FleetChoice?) -> Void
    ) -> NextTarget {
        if let group = group(upstream, in: configuration) {
            return group.next(avoiding: tried, at: now, caller: caller, key: key, completion: completion)
        }
        // A request of an earlier configuration, whose upstream has changed since.
        guard let target = configuration.upstreams[upstream]?.targets.randomElement() else { return .unavailable }
        return .lease(TargetLease(pool: pool.pool(for: target), seat: nil))
    }

    private func group(_ upstream: UpstreamIndex, in configuration: ProxyConfiguration) -> GroupPool? {
        guard configuration !== self.configuration else { return groups[upstream] }
        // The request waited for keys or a slot while the configuration changed.
        guard let group = configuration.upstreams[upstream] else { return nil }
        return groups.first { $0.group == group }
    }

    /// Target for a request that waited for a slot and now has it. Nil if the fleet has no target with the chosen
    /// index.
    func lease(_ choice: FleetChoice, of fleet: SharedFleet) -> TargetLease? {
        if let group = groups.first(where: { $0.fleet === fleet }) { return group.lease(choice) }
        // The upstream has left the configuration. Its remaining requests leave no connection behind.
        guard let target = fleet.target(of: choice) else { return nil }
        return TargetLease(pool: pool.retiredPool(for: target), seat: seat(fleet, choice))
    }

    /// Releases the slot of a request that has left.
    func giveBack(_ choice: FleetChoice, of fleet: SharedFleet) {
        var seat = seat(fleet, choice)
        seat.leave()
    }

    private func seat(_ fleet: SharedFleet, _ choice: FleetChoice) -> FleetSeat {
        FleetSeat(fleet: fleet, choice: choice, on: pool.loop)
    }

    /// Closes an idle connection whose slot was given to a request of another loop.
    func closeIdle(of fleet: SharedFleet, _ choice: FleetChoice) { pool.closeIdle(of: fleet, choice) }

    /// Closes connections that have been idle for too long.
    func expire(at tick: UInt64) { pool.expire(at: tick) }

    func closeAll() { pool.closeAll() }
}

@available(*, unavailable)
extension Upstreams: Sendable {}

/// Result of choosing a target for an attempt at a request.
enum NextTarget {
    case lease(TargetLease)
    /// Request must wait for a slot.
    case waits(SharedFleet, FleetTicket)
    /// Request gets its slot as soon as another event loop has closed an idle connection.
    case replaces(SharedFleet)
    /// Queue of waiting requests is full.
    case full
    /// No target can take the request.
    case unavailable
}

/// Target for one attempt at a request.
struct TargetLease {
    let pool: TargetPool
    /// Slot in the fleet. Nil if the upstream has no fleet, because there is nothing to choose.
    let seat: FleetSeat?
}

/// Slot of a request at a target of a fleet.
struct FleetSeat {
    let fleet: SharedFleet
    let choice: FleetChoice
    /// True while a new connection is being made for the request.
    private(set) var isConnecting = false
    /// True if the slot was taken from an idle connection of the same loop that was not used or closed yet.
    private var owesIdle: Bool

    /// - Parameter loop: number of the request's event loop.
    init(fleet: SharedFleet, choice: FleetChoice, on loop: Int) {
        self.fleet = fleet
        self.choice = choice
        owesIdle = choice.replacedOn == loop
    }

    /// Returns the choice if the request must use or close an idle connection now, because it has the slot of one. Nil
    /// at the next call.
    mutating func takeReplacement() -> FleetChoice? {
        defer { owesIdle = false }
        return owesIdle ? choice : nil
    }

    mutating func connectionBegan() {
        isConnecting = true
        fleet.connectionBegan(choice)
    }

    /// Called when the connection was made or failed.
    mutating func connectionEnded() {
        guard isConnecting else { return }
        isConnecting = false
        fleet.connectionEnded(choice)
    }

    /// Releases the slot.
    mutating func leave() {
        connectionEnded()
        if owesIdle { fleet.idleReplaced(choice, ended: 0) }
        owesIdle = false
        fleet.released(choice)
    }
}

/// Targets of one group, on one event loop.
final class GroupPool {
    let group: UpstreamGroup
    /// Fleet of the group. Nil if there is nothing to choose.
    let fleet: SharedFleet?
    private let pool: UpstreamPool
    /// Field by which requests are hashed. Nil if they are hashed by caller or not at all.
    private let hashField: FieldName?
    /// Pools by the target's index in the fleet.
    private var pools: [TargetPool] = []
    /// Pool keys of the group's current targets, without those that left the fleet.
    private(set) var keys: [UpstreamPool.Key] = []
    /// Generation of the fleet's targets when they were last read.
    private var generation: UInt64 = 0
    /// True if `followFleet` has already reported the current targets.
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

    /// Returns true if the targets have changed since the last call.
    func followFleet() -> Bool {
        guard let fleet, fleet.followsNames else { return false }
        if fleet.generation != generation { take() }
        defer { isTold = true }
        return !isTold
    }

    /// Next target for a request, or the reason that there is none.
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

    /// Target for a request that waited for a slot and now has it. Nil if the group has no fleet, or the fleet has no
    /// target with the chosen index.
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
