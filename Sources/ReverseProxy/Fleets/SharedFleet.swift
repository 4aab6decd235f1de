import Logging
import OperationalLog
import ProxySettings
import Synchronization
import UpstreamFleets

/// The fleet of one upstream, for all event loops: whoever gets a target tells how it went, and gives it back.
final class SharedFleet: Sendable {
    let group: UpstreamGroup
    private let fleet: Mutex<Fleet>
    private let logger: Logger

    init(_ group: UpstreamGroup, logger: Logger) {
        self.group = group
        self.logger = logger
        let members = zip(group.targets, group.weights).map { FleetMember(name: $0.authority, weight: $1) }
        fleet = Mutex(Fleet(group.fleet, members, seed: .random(in: 0...UInt64.max), at: EventLoopClock.now()))
    }

    /// - Parameters:
    ///   - key: what the request is hashed by.
    ///   - tried: the targets that failed it.
    func choose(key: UInt64?, avoiding tried: TargetSet, at now: Int64) -> FleetChoice? {
        fleet.withLock { $0.choose(key: key, avoiding: tried, at: now) }
    }

    func answered(_ choice: FleetChoice, status: Int, _ request: FleetRequest, after latency: Int64, at now: Int64) {
        tell(fleet.withLock { $0.answered(choice, status: status, request, after: latency, at: now) })
    }

    func failed(_ choice: FleetChoice, _ failure: FleetFailure, at now: Int64) {
        tell(fleet.withLock { $0.failed(choice, failure, at: now) })
    }

    func connectionBegan(_ choice: FleetChoice) {
        fleet.withLock { $0.connectionBegan(choice) }
    }

    func connectionEnded(_ choice: FleetChoice) {
        fleet.withLock { $0.connectionEnded(choice) }
    }

    func released(_ choice: FleetChoice) {
        fleet.withLock { $0.released(choice) }
    }

    /// Whether a request is tried again; if so, the budget has one less.
    func retries(_ failure: AttemptFailure, after attempts: Int, isReplayable: Bool, isHeld: Bool, at now: Int64) -> Bool {
        fleet.withLock { $0.retries(failure, after: attempts, isReplayable: isReplayable, isHeld: isHeld, at: now) }
    }

    /// What is known of the targets, in the order of the group's.
    func status(at now: Int64) -> [FleetTargetStatus] { fleet.withLock { $0.status(at: now) } }

    private func tell(_ event: FleetEvent?) {
        switch event {
        case .ejected(let index, let failure):
            logger.warning("Upstream target is left out after failures", [.upstream: name(of: index), .cause: .text(failure.text)])
        case .returned(let index): logger.notice("Upstream target is back", [.upstream: name(of: index)])
        case nil: break
        }
    }

    private func name(of index: Int) -> LogValue {
        .text(group.targets.indices.contains(index) ? group.targets[index].authority : "")
    }
}

extension FleetFailure {
    /// What the operational log and the admin listener say of it.
    var text: String {
        switch self {
        case .connect: "no connection"
        case .reset: "the connection ended before a response, or the response was malformed"
        case .timeout: "no response in time"
        case .answer(let status): "answered \(status)"
        }
    }
}
