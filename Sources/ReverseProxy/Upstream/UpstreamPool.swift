import NIOCore
import ProxySettings
import UpstreamFleets

/// Pool of one event loop's upstream connections that wait for requests.
///
/// Requests share connections only if their targets are equal: the same host, port and settings. The connection that
/// became idle last is used first, so that the others can expire.
final class UpstreamPool {
    /// Number of the event loop.
    let loop: Int
    private var pools: [Key: TargetPool] = [:]
    private let attempts: UpstreamTally

    /// Identity of a pool: requests to the same target share connections. If the fleet bounds connections, they also
    /// need the same fleet and index.
    struct Key: Hashable {
        private let target: UpstreamTarget
        private let fleet: ObjectIdentifier?
        private let index: Int

        /// - Parameters:
        ///   - fleet: the target's fleet. Nil if it belongs to none.
        ///   - index: the target's index in the fleet.
        init(_ target: UpstreamTarget, of fleet: SharedFleet? = nil, at index: Int = 0) {
            self.target = target
            let isBounded = fleet?.isBounded ?? false
            self.fleet = isBounded ? fleet.map(ObjectIdentifier.init) : nil
            self.index = isBounded ? index : 0
        }
    }

    /// - Parameter attempts: the loop's counters of attempts at its targets.
    init(_ attempts: UpstreamTally, loop: Int = 0) {
        self.attempts = attempts
        self.loop = loop
    }

    /// Pool of the connections to one target. Created at its first use.
    ///
    /// - Parameters:
    ///   - fleet, index: as for ``Key``.
    func pool(for target: UpstreamTarget, of fleet: SharedFleet? = nil, at index: Int = 0) -> TargetPool {
        let key = Key(target, of: fleet, at: index)
        if let pool = pools[key] { return pool }
        let bound = fleet.flatMap { $0.isBounded ? IdleBound(fleet: $0, target: index, loop: loop) : nil }
        let pool = TargetPool(target, row: attempts.row(of: target.countedAs), bound: bound)
        pools[key] = pool
        return pool
    }

    /// Pool for a target that has left the configuration. It keeps no connections.
    func retiredPool(for target: UpstreamTarget) -> TargetPool {
        let pool = TargetPool(target, row: attempts.row(of: target.countedAs))
        pool.retire()
        return pool
    }

    /// Closes the connections to all targets that are not in `named`.
    func keepOnly(_ named: Set<Key>) {
        for (key, pool) in pools where !named.contains(key) {
            pool.retire()
            pools[key] = nil
        }
    }

    /// Closes an idle connection whose slot was given to a request of another loop.
    func closeIdle(of fleet: SharedFleet, _ choice: FleetChoice) {
        let pool = pools.values.first { $0.bound?.fleet === fleet && $0.bound?.target == choice.target }
        if let pool { pool.closeOldest(replacing: choice) } else { fleet.idleReplaced(choice, ended: 0) }
    }

    /// Closes connections that have been idle for too long.
    func expire(at tick: UInt64) {
        for pool in pools.values { pool.expire(at: tick) }
    }

    func closeAll() {
        for pool in pools.values { pool.closeAll() }
    }
}

@available(*, unavailable)
extension UpstreamPool: Sendable {}

/// One event loop's reusable connections to one target.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class TargetPool {
    let target: UpstreamTarget
    /// Name of the target in logs.
    let name: [UInt8]
    let spanTarget: AttemptTarget
    /// Value of `Host` if the client sent none.
    let authority: [UInt8]
    /// Row of the target in the loop's counters.
    let row: Int
    /// True if the target may speak HTTP/2.
    let mayHaveSessions: Bool
    /// Address of the target. Nil if its host is a name.
    let address: SocketAddress?
    /// Link to the fleet that counts idle connections. Nil if connections are not bounded.
    let bound: IdleBound?

    /// Idle HTTP/1.1 connections, the longest idle first.
    @safe @exclusivity(unchecked) private var idle: [UpstreamConnection] = []
    /// HTTP/2 connections that take requests.
    @safe @exclusivity(unchecked) private var sessions: [UpstreamSession] = []
    /// Stream objects without a request, kept for reuse.
    @safe @exclusivity(unchecked) private var spareStreams: ContiguousArray<UpstreamStream> = []

    init(_ target: UpstreamTarget, row: Int, bound: IdleBound? = nil) {
        self.target = target
        self.row = row
        self.bound = bound
        name = Array(target.name.utf8)
        spanTarget = AttemptTarget(target)
        authority = Array(target.authority.utf8)
        mayHaveSessions = target.protocols != .http1
        address = target.address
    }

    /// True if the target has left the configuration.
    @safe @exclusivity(unchecked) private var isRetired = false
    @safe @exclusivity(unchecked) private var refusals = SessionRefusals()
    @safe @exclusivity(unchecked) private var joiners = SessionJoiners()

    /// Leases an idle connection that can be used again. Nil if there is none.
    ///
    /// - Parameter choice: the request's choice, if it has the slot of an idle connection. Nil if there is a free slot.
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

    /// Opens a stream on an existing HTTP/2 connection. Nil if none takes requests.
    func openStream() -> UpstreamStream? { openSession?.open(isShared: true) }

    /// HTTP/2 connection that takes one more request. Nil if none does.
    private var openSession: UpstreamSession? { sessions.first(where: \.isOpen) }

    /// HTTP/2 connection that takes one more request, and has received the upstream's SETTINGS. Nil if there is none.
    var settledSession: UpstreamSession? { sessions.first { $0.isSettled && $0.isOpen } }

    // MARK: Sessions

    /// Returns true if a request may open a connection. If the last ones took no requests, only one request per pause
    /// may.
    func mayConnect(at now: Int64) -> Bool { refusals.mayConnect(at: now) }

    /// Queues a connection until a session receives its SETTINGS, if that session probably has a free stream.
    ///
    /// - Parameter begin: called when the connection may join a session or must begin one.
    /// - Returns: false if the connection is not queued.
    func join(until deadline: UInt64, _ begin: @escaping () -> Void) -> Bool {
        joiners.wait(for: sessions.count { !$0.isSettled && $0.isOpen }, until: deadline, begin)
    }

    /// Records the stream limit that a session announced, and ends the wait of queued connections.
    func sessionStated(_ limit: Int) {
        joiners.stated(limit)
        joinersMayBegin()
    }

    private func joinersMayBegin() {
        for begin in joiners.takeAll() { begin() }
    }

    /// Records that a session takes requests.
    func sessionAccepts() { refusals.accepted() }

    /// Records that a session takes no requests and has answered none.
    func sessionRefused(at now: Int64) { refusals.refused(at: now) }

    /// Records that a session that takes requests answered one.
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

    /// Takes back a clean connection. Returns false if the pool is full or retired.
    func put(_ connection: UpstreamConnection) -> Bool {
        guard !isRetired, idle.count < FixedLimits.idleUpstreams else { return false }
        idle.append(connection)
        bound?.idleBegan()
        return true
    }

    /// Removes a connection that closed.
    func remove(_ connection: UpstreamConnection) {
        let count = idle.count
        idle.removeAll { $0 === connection }
        bound?.idleEnded(count &- idle.count)
    }

    /// Closes the connection that has been idle for longest, so that a request gets its slot.
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

    /// Closes idle connections, and keeps none from now on. That includes connections still being made when their
    /// target leaves the configuration.
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

/// Link from a target's pool to the fleet that counts its idle connections.
struct IdleBound {
    let fleet: SharedFleet
    /// Index of the target in the fleet.
    let target: Int
    /// Number of the event loop.
    let loop: Int

    func idleBegan() { fleet.idleBegan(at: target, on: loop) }

    /// Reports idle connections that were used or closed.
    ///
    /// - Parameter choice: the choice of a request that has the slot of one of them.
    func idleEnded(_ count: Int, replacing choice: FleetChoice? = nil) {
        if let choice {
            fleet.idleReplaced(choice, ended: count)
        } else if count > 0 {
            fleet.idleEnded(count, at: target, on: loop)
        }
    }
}
