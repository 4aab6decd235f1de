import NIOCore
import ProxySettings

/// The upstream connections of one event loop that wait for requests.
///
/// Connections are the same only if host and port are; the last to become idle is used first, so that the others can end.
final class UpstreamPool {
    private var pools: [UpstreamTarget: TargetPool] = [:]
    private let attempts: UpstreamTally

    /// - Parameter attempts: where the loop counts what its targets do.
    init(_ attempts: UpstreamTally) {
        self.attempts = attempts
    }

    /// The connections to one target.
    func pool(for target: UpstreamTarget) -> TargetPool {
        if let pool = pools[target] { return pool }
        let pool = TargetPool(target, row: attempts.row(of: target.countedAs))
        pools[target] = pool
        return pool
    }

    /// Closes the connections to all other targets.
    func keepOnly(_ named: Set<UpstreamTarget>) {
        for (target, pool) in pools where !named.contains(target) {
            pool.retire()
            pools[target] = nil
        }
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
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a channel.
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

    /// The longest idle first.
    @safe @exclusivity(unchecked) private var idle: [UpstreamConnection] = []
    /// Of HTTP/2.
    @safe @exclusivity(unchecked) private var sessions: [UpstreamSession] = []
    /// Streams without a request, to be used again.
    @safe @exclusivity(unchecked) private var spareStreams: ContiguousArray<UpstreamStream> = []

    init(_ target: UpstreamTarget, row: Int) {
        self.target = target
        self.row = row
        name = Array(target.name.utf8)
        authority = Array(target.authority.utf8)
        mayHaveSessions = target.protocols != .http1
        address = target.address
    }

    /// Whether the target has left the configuration.
    @safe @exclusivity(unchecked) private var isRetired = false

    /// A connection that has been used before and can be used again.
    func takeIdle() -> UpstreamConnection? { idle.popLast() }

    /// A stream on an open HTTP/2 connection.
    func openStream() -> UpstreamStream? { sessions.first(where: \.isOpen)?.open(isShared: true) }

    func add(_ session: UpstreamSession) {
        if isRetired { session.isUnpooled = true } else { sessions.append(session) }
    }

    func remove(_ session: UpstreamSession) { sessions.removeAll { $0 === session } }

    func takeStream() -> UpstreamStream { spareStreams.popLast() ?? UpstreamStream() }

    func recycle(_ stream: UpstreamStream) {
        if spareStreams.count < FixedLimits.upstreamStreams { spareStreams.append(stream) }
    }

    /// Takes a clean connection back; false if there are enough.
    func put(_ connection: UpstreamConnection) -> Bool {
        guard !isRetired, idle.count < FixedLimits.idleUpstreams else { return false }
        idle.append(connection)
        return true
    }

    /// Forgets a connection that closed.
    func remove(_ connection: UpstreamConnection) {
        idle.removeAll { $0 === connection }
    }

    func expire(at tick: UInt64) {
        for session in sessions { session.expire(at: tick) }
        let expired = idle.prefix { $0.idleDeadline <= tick }
        guard !expired.isEmpty else { return }
        idle.removeFirst(expired.count)
        for connection in expired { connection.close() }
    }

    /// Closes what is idle, and keeps nothing from now on: also what is still being connected when its target is no longer named.
    func retire() {
        isRetired = true
        closeAll()
    }

    func closeAll() {
        let connections = idle
        idle = []
        for connection in connections { connection.close() }
        let ending = sessions
        sessions = []
        for session in ending { session.end() }
    }
}

@available(*, unavailable)
extension TargetPool: Sendable {}
