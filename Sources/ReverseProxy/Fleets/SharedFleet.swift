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
        let members = zip(group.targets, group.weights).map { FleetMember(name: $0.name, weight: $1) }
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

    /// A health check of a target ended; nil: it is well.
    func checked(_ index: Int, _ fault: CheckFault?, at now: Int64) {
        tell(fleet.withLock { $0.checked(index, fault, at: now) })
    }

    /// When a target may be back, if there is none now.
    func returnsAfter(at now: Int64) -> Duration { .nanoseconds(fleet.withLock { $0.returnsAfter(at: now) }) }

    /// What is known of the targets, in the order of the group's.
    func status(at now: Int64) -> [FleetTargetStatus] { fleet.withLock { $0.status(at: now) } }

    private func tell(_ event: FleetEvent?) {
        switch event {
        case .ejected(let index, let failure):
            logger.warning("Upstream target is left out after failures", [.upstream: name(of: index), .cause: .text(failure.text)])
        case .returned(let index): logger.notice("Upstream target is back", [.upstream: name(of: index)])
        case .down(let index, let fault):
            logger.warning("Upstream target is left out after health checks", [.upstream: name(of: index), .cause: .text(fault.text)])
            tellIfEmpty()
        case .up(let index): logger.notice("Upstream target passes its health checks again", [.upstream: name(of: index)])
        case nil: break
        }
    }

    /// Requests are refused from now on: why each target is out.
    private func tellIfEmpty() {
        let (isEmpty, targets) = fleet.withLock { ($0.isEmpty, $0.status(at: EventLoopClock.now())) }
        guard isEmpty else { return }
        let causes = zip(group.targets, targets).map { "\($0.name): \($1.cause?.text ?? "")" }
        logger.error("Upstream has no target left", [.cause: .text(causes.joined(separator: "; "))])
    }

    private func name(of index: Int) -> LogValue {
        .text(group.targets.indices.contains(index) ? group.targets[index].name : "")
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
        case .check(let fault): "health check: \(fault.text)"
        }
    }
}

extension CheckFault {
    /// What the operational log and the admin listener say of it.
    var text: String {
        switch self {
        case .connect: "no connection"
        case .reset: "the connection ended before a response, or the response was malformed"
        case .timeout: "no response in time"
        case .status(let status): "answered \(status)"
        case .notServing: "gRPC: not serving"
        case .grpc(let status): status.map { "gRPC: status \($0)" } ?? "the response is not one of gRPC's health service"
        }
    }
}
