import NIOCore
import ProxySettings
import UpstreamFleets

/// Runs the health checks of all fleets with `health`. Also connects to targets that could not be reached, before a
/// request probes them. One event loop does it for the whole process.
final class HealthChecks {
    private let loop: LoopServices
    private var all: [SharedFleet] = []
    /// Connections that are being made to targets that could not be reached.
    private var attempts: [HealthProbe] = []
    /// Fleets with health checks, each with the generation of the targets that are checked.
    private var fleets: [(fleet: SharedFleet, generation: UInt64)] = []
    private var targets: [CheckedTarget] = []

    init(on loop: LoopServices) {
        self.loop = loop
    }

    /// Target with health checks, and the time of its next one.
    private final class CheckedTarget {
        let fleet: SharedFleet
        let index: Int
        let check: HealthCheck
        let pool: TargetPool
        /// Time of the next check, monotonic, in nanoseconds.
        var dueAt: Int64
        /// Check that is running. Nil if there is none.
        var probe: HealthProbe?

        init(_ fleet: SharedFleet, _ index: Int, _ check: HealthCheck, _ pool: TargetPool, dueAt: Int64) {
            self.fleet = fleet
            self.index = index
            self.check = check
            self.pool = pool
            self.dueAt = dueAt
        }

        /// Cancels the running check, whose result is not needed any more.
        func cancel() {
            probe?.cancel()
            probe = nil
        }
    }

    /// Takes over the fleets of a new configuration. The checks of unchanged fleets continue undisturbed.
    func reload(_ fleets: [SharedFleet], at now: Int64) {
        all = fleets
        self.fleets = fleets.filter { $0.group.fleet.health != nil }.map { ($0, $0.generation) }
        findTargets(at: now)
    }

    private func findTargets(at now: Int64) {
        let before = targets
        targets = fleets.flatMap { fleet, _ in
            guard let check = fleet.group.fleet.health else { return [CheckedTarget]() }
            let (byIndex, members, _) = fleet.targets
            return members.map { index in
                let target = byIndex[index]
                if let known = before.first(where: {
                    $0.fleet === fleet && $0.index == index && $0.pool.target == target
                }) {
                    return known
                }
                let pool = TargetPool(target, row: 0)
                pool.retire()
                // Spread over the interval, so that first checks never start all at once.
                let first = Self.nanoseconds(check.interval, times: .random(in: 0..<1))
                return CheckedTarget(fleet, index, check, pool, dueAt: now &+ first)
            }
        }
        for target in before where !targets.contains(where: { $0 === target }) { target.cancel() }
    }

    private func followFleets(at now: Int64) {
        guard fleets.contains(where: { $0.fleet.generation != $0.generation }) else { return }
        fleets = fleets.map { ($0.fleet, $0.fleet.generation) }
        findTargets(at: now)
    }

    /// Starts the checks and connections that are due.
    func tick(at now: Int64) {
        followFleets(at: now)
        for fleet in all {
            for (index, target) in fleet.dueForConnection(at: now) { reach(target, index, of: fleet) }
        }
        for target in targets where target.probe == nil && target.dueAt <= now {
            target.dueAt = now &+ Self.nanoseconds(target.check.interval, times: .random(in: 0.9...1.1))
            let group = target.fleet.group
            let host = target.check.host ?? group.hostOverride ?? target.pool.target.authority
            let probe = HealthProbe(target.check, host: host, at: target.pool, on: loop) { fault in
                target.probe = nil
                target.fleet.checked(target.index, fault, at: EventLoopClock.now())
            }
            target.probe = probe
            probe.begin()
        }
    }

    private func reach(_ target: UpstreamTarget, _ index: Int, of fleet: SharedFleet) {
        let pool = TargetPool(target, row: 0)
        pool.retire()
        let attempt = HealthProbe(connectingTo: pool, on: loop) { attempt, fault in
            self.attempts.removeAll { $0 === attempt }
            fleet.reached(index, fault == nil, at: EventLoopClock.now())
        }
        attempts.append(attempt)
        attempt.begin()
    }

    func stop() {
        for target in targets { target.cancel() }
        for attempt in attempts { attempt.cancel() }
        (all, fleets, targets, attempts) = ([], [], [], [])
    }

    private static func nanoseconds(_ duration: Duration, times factor: Double) -> Int64 {
        Int64(Double(TimeAmount(duration).nanoseconds) * factor)
    }
}

@available(*, unavailable)
extension HealthChecks: Sendable {}
