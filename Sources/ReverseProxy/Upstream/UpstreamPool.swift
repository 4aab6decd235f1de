import NIOCore
import ProxySettings
import UpstreamFleets

/// The upstream connections of one event loop that wait for requests.
///
/// Connections are the same only if host and port are; the last to become idle is used first, so that the others can
/// end.
final class UpstreamPool {
    /// The number of the event loop.
    let loop: Int
    private var pools: [Key: TargetPool] = [:]
    private let attempts: UpstreamTally

    /// Which requests share connections: those for one target, and where its connections are bounded, those of one
    /// fleet.
    struct Key: Hashable {
        private let target: UpstreamTarget
        private let fleet: ObjectIdentifier?
        private let index: Int

        /// - Parameters:
        ///   - fleet: nil: it is the target of no fleet.
        ///   - index: its index there.
        init(_ target: UpstreamTarget, of fleet: SharedFleet? = nil, at index: Int = 0) {
            self.target = target
            let isBounded = fleet?.isBounded ?? false
            self.fleet = isBounded ? fleet.map(ObjectIdentifier.init) : nil
            self.index = isBounded ? index : 0
        }
    }

    /// - Parameter attempts: where the loop counts what its targets do.
    init(_ attempts: UpstreamTally, loop: Int = 0) {
        self.attempts = attempts
        self.loop = loop
    }

    /// The connections to one target.
    ///
    /// - Parameters:
    ///   - fleet, index: as for a key.
    func pool(for target: UpstreamTarget, of fleet: SharedFleet? = nil, at index: Int = 0) -> TargetPool {
        let key = Key(target, of: fleet, at: index)
        if let pool = pools[key] { return pool }
        let bound = fleet.flatMap { $0.isBounded ? IdleBound(fleet: $0, target: index, loop: loop) : nil }
        let pool = TargetPool(target, row: attempts.row(of: target.countedAs), bound: bound)
        pools[key] = pool
        return pool
    }

    /// The connections to a target that is in no configuration any more: none is kept.
    func retiredPool(for target: UpstreamTarget) -> TargetPool {
        let pool = TargetPool(target, row: attempts.row(of: target.countedAs))
        pool.retire()
        return pool
    }

    /// Closes the connections to all other targets.
    func keepOnly(_ named: Set<Key>) {
        for (key, pool) in pools where !named.contains(key) {
            pool.retire()
            pools[key] = nil
        }
    }

    /// Closes an idle connection whose place a request of another loop has.
    func closeIdle(of fleet: SharedFleet, _ choice: FleetChoice) {
        let pool = pools.values.first { $0.bound?.fleet === fleet && $0.bound?.target == choice.target }
        if let pool { pool.closeOldest(replacing: choice) } else { fleet.idleReplaced(choice, ended: 0) }
    }

    /// Closes what has been idle for long enough.
    func expire(at tick: UInt64) {
        for pool in pools.values { pool.expire(at: tick) }
    }

    func closeAll() {
        for pool in pools.values { pool.closeAll() }
    }
}

@available(*, unavailable)
extension UpstreamPool: Sendable {}

/// The connections of one loop to one target that can be used.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class TargetPool {
    let target: UpstreamTarget
    /// What logs call it.
    let name: [UInt8]
    /// What stands in `Host` where the client sent none.
    let authority: [UInt8]
    /// Where the loop counts what the target does.
    let row: Int
    /// Whether the target may speak HTTP/2.
    let mayHaveSessions: Bool
    /// The address, if the target is one; nil: it is a name.
    let address: SocketAddress?
    /// Who counts the idle connections; nil: nobody, because there is no bound.
    let bound: IdleBound?

    /// The longest idle first.
    @safe @exclusivity(unchecked) private var idle: [UpstreamConnection] = []
    /// Of HTTP/2.
    @safe @exclusivity(unchecked) private var sessions: [UpstreamSession] = []
    /// Streams without a request, to be used again.
    @safe @exclusivity(unchecked) private var spareStreams: ContiguousArray<UpstreamStream> = []

    init(_ target: UpstreamTarget, row: Int, bound: IdleBound? = nil) {
        self.target = target
        self.row = row
        self.bound = bound
        name = Array(target.name.utf8)
        authority = Array(target.authority.utf8)
        mayHaveSessions = target.protocols != .http1
        address = target.address
    }

    /// Whether the target has left the configuration.
    @safe @exclusivity(unchecked) private var isRetired = false
    @safe @exclusivity(unchecked) private var refusals = SessionRefusals()
    @safe @exclusivity(unchecked) private var joiners = SessionJoiners()

    /// Leases a connection that has been used before and can be used again.
    ///
    /// - Parameter choice: of a request that has the place of an idle connection; nil: there is room beside them.
    func leaseIdle(to lessee: any UpstreamLessee, _ terms: LeaseTerms, replacing choice: FleetChoice?)
        -> UpstreamConnection?
    {
        var (leased, ended) = (UpstreamConnection?.none, 0)
        while leased == nil, let connection = idle.popLast() {
            ended &+= 1
            if connection.lease(to: lessee, terms) { leased = connection }
        }
        bound?.idleEnded(ended, replacing: choice)
        return leased
    }

    /// A stream on an open HTTP/2 connection.
    func openStream() -> UpstreamStream? { openSession?.open(isShared: true) }

    /// An HTTP/2 connection that takes one more request.
    private var openSession: UpstreamSession? { sessions.first(where: \.isOpen) }

    /// One that has said so.
    var settledSession: UpstreamSession? { sessions.first { $0.isSettled && $0.isOpen } }

    // MARK: Sessions

    /// Whether a request may have a connection made; not where the last ones took no requests, but for one now and
    /// then.
    func mayConnect(at now: Int64) -> Bool { refusals.mayConnect(at: now) }

    /// Has a connection wait for the SETTINGS of a session, if there is one that is likely to have room.
    ///
    /// - Parameter begin: called once it may join a session, or has to begin one.
    /// - Returns: false if it is not to wait.
    func join(until deadline: UInt64, _ begin: @escaping () -> Void) -> Bool {
        joiners.wait(for: sessions.count { !$0.isSettled && $0.isOpen }, until: deadline, begin)
    }

    /// A session stated how many requests it takes.
    func sessionStated(_ limit: Int) {
        joiners.stated(limit)
        joinersMayBegin()
    }

    private func joinersMayBegin() {
        for begin in joiners.takeAll() { begin() }
    }

    /// A session takes requests.
    func sessionAccepts() { refusals.accepted() }

    /// A session takes no requests, and has answered none.
    func sessionRefused(at now: Int64) { refusals.refused(at: now) }

    /// A session that takes requests answered one.
    func sessionAnswered() { refusals.answered() }

    func add(_ session: UpstreamSession) {
        if isRetired { session.isUnpooled = true } else { sessions.append(session) }
    }

    func remove(_ session: UpstreamSession) {
        sessions.removeAll { $0 === session }
        if !session.isSettled { joinersMayBegin() }
    }

    func takeStream() -> UpstreamStream { spareStreams.popLast() ?? UpstreamStream() }

    func recycle(_ stream: UpstreamStream) {
        if spareStreams.count < FixedLimits.upstreamStreams { spareStreams.append(stream) }
    }

    /// Takes a clean connection back; false if there are enough.
    func put(_ connection: UpstreamConnection) -> Bool {
        guard !isRetired, idle.count < FixedLimits.idleUpstreams else { return false }
        idle.append(connection)
        bound?.idleBegan()
        return true
    }

    /// Forgets a connection that closed.
    func remove(_ connection: UpstreamConnection) {
        let count = idle.count
        idle.removeAll { $0 === connection }
        bound?.idleEnded(count &- idle.count)
    }

    /// Closes the connection that has been idle for longest, so that a request has its place.
    func closeOldest(replacing choice: FleetChoice) {
        let oldest = idle.isEmpty ? nil : idle.removeFirst()
        oldest?.closeAtOnce()
        bound?.idleEnded(oldest == nil ? 0 : 1, replacing: choice)
    }

    func expire(at tick: UInt64) {
        for session in sessions { session.expire(at: tick) }
        for begin in joiners.takeExpired(at: tick) { begin() }
        let expired = idle.prefix { $0.idleDeadline <= tick }
        guard !expired.isEmpty else { return }
        idle.removeFirst(expired.count)
        for connection in expired { connection.close() }
        bound?.idleEnded(expired.count)
    }

    /// Closes what is idle, and keeps nothing from now on: also what is still being connected when its target is no
    /// longer named.
    func retire() {
        isRetired = true
        closeAll()
    }

    func closeAll() {
        let connections = idle
        idle = []
        for connection in connections { connection.close() }
        bound?.idleEnded(connections.count)
        let ending = sessions
        sessions = []
        for session in ending { session.end() }
        joinersMayBegin()
    }
}

@available(*, unavailable)
extension TargetPool: Sendable {}

/// Of which target a pool has the idle connections, for a fleet that counts them.
struct IdleBound {
    let fleet: SharedFleet
    /// Its index in the fleet.
    let target: Int
    /// The number of the event loop.
    let loop: Int

    func idleBegan() { fleet.idleBegan(at: target, on: loop) }

    /// - Parameter choice: of a request that has the place of one of them.
    func idleEnded(_ count: Int, replacing choice: FleetChoice? = nil) {
        if let choice {
            fleet.idleReplaced(choice, ended: count)
        } else if count > 0 {
            fleet.idleEnded(count, at: target, on: loop)
        }
    }
}
