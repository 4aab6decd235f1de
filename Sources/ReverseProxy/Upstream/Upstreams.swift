import ProxySettings
import RequestAuthorization
import TypedIndices

/// The upstreams of one event loop: the groups of its configuration, and the connections to them.
final class Upstreams {
    private let pool: UpstreamPool
    private var groups: IndexedBy<UpstreamIndex, GroupPool> = []
    private var configuration: ProxyConfiguration

    init(_ configuration: ProxyConfiguration, _ attempts: UpstreamTally) {
        pool = UpstreamPool(attempts)
        self.configuration = configuration
        reload(configuration)
    }

    /// Targets that are no longer named lose their connections.
    func reload(_ configuration: ProxyConfiguration) {
        self.configuration = configuration
        pool.keepOnly(Set(configuration.upstreams.flatMap(\.targets)))
        groups = configuration.upstreams.mapped { group in GroupPool(group.targets.map(pool.pool)) }
    }

    /// The next target of a group; nil if it has none.
    func nextTarget(of upstream: UpstreamIndex, in configuration: ProxyConfiguration) -> TargetPool? {
        if configuration === self.configuration {
            return groups[upstream]?.next()
        }
        // A request of an earlier generation: it waited for keys while the configuration changed.
        return configuration.upstreams[upstream]?.targets.randomElement().map(pool.pool)
    }

    /// Closes what has been idle for long enough.
    func expire(at tick: UInt64) { pool.expire(at: tick) }

    func closeAll() { pool.closeAll() }
}

@available(*, unavailable)
extension Upstreams: Sendable {}

/// The targets of one group, taken in turn.
final class GroupPool {
    private let targets: [TargetPool]
    private var turn = 0

    init(_ targets: [TargetPool]) {
        self.targets = targets
        // Loops that all began with the first target would load the targets in step.
        turn = targets.isEmpty ? 0 : Int.random(in: targets.indices)
    }

    /// The next target; nil if there is none at all.
    func next() -> TargetPool? {
        guard !targets.isEmpty else { return nil }
        turn = turn &+ 1 < targets.count ? turn &+ 1 : 0
        return targets[turn]
    }
}

@available(*, unavailable)
extension GroupPool: Sendable {}
