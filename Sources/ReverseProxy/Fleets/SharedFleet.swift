import Logging
import Logs
import NIOCore
import ProxySettings
import Synchronization
import UpstreamFleets

/// Fleet of one upstream, shared by all event loops. A request that gets a target reports the outcome and releases the
/// slot.
final class SharedFleet: Sendable {
    let group: UpstreamGroup
    /// True if the number of requests at a target is bounded. If not, no request waits, and idle connections are not
    /// counted.
    let isBounded: Bool
    private let state: Mutex<State>
    private let closers: IdleClosers
    private let logger: Logger

    private struct State {
        var fleet: Fleet
        /// Targets by their index in the fleet. Targets that have left stay until their index is reused.
        var targets: [UpstreamTarget]
        /// Number that changes whenever the targets change.
        var generation: UInt64 = 0
        /// Generation of the addresses of each name whose addresses are targets.
        var followed: [String: UInt64]
        /// Requests that wait for a slot.
        var waiting: [FleetTicket: WaitingRequest] = [:]
    }

    init(_ group: UpstreamGroup, closers: IdleClosers = IdleClosers(), logger: Logger) {
        self.group = group
        isBounded = group.fleet.connections != nil
        self.closers = closers
        self.logger = logger
        let targets = zip(group.targets, group.weights).filter { !$0.0.isEveryAddress }
        let members = targets.map { FleetMember(name: $0.name, weight: $1) }
        let fleet = Fleet(group.fleet, members, seed: .random(in: 0...UInt64.max), at: EventLoopClock.now())
        // 0 until the addresses of a name are known for the first time.
        let names = group.targets.filter(\.isEveryAddress).map { ($0.host, UInt64(0)) }
        state = Mutex(
            State(
                fleet: fleet, targets: targets.map(\.0),
                followed: Dictionary(names, uniquingKeysWith: { first, _ in first })))
    }

    /// Decides what happens to a request. Also returns the generation of the targets.
    ///
    /// - Parameters:
    ///   - key: hash that selects the target under `hash` balancing. Nil if the request has none.
    ///   - tried: targets that failed this request.
    ///   - request: callback for a request that has to wait for a slot. Nil if connections are not bounded.
    func ask(
        key: UInt64?, avoiding tried: TargetSet, for request: WaitingRequest?, at now: Int64
    ) -> (answer: FleetAnswer, generation: UInt64) {
        change { state in
            let answer = state.fleet.ask(key: key, avoiding: tried, on: request?.loop ?? 0, at: now)
            if case .wait(let ticket) = answer { state.waiting[ticket] = request }
            return (answer, state.generation)
        }
    }

    // MARK: Targets

    /// Targets by their index, the indices of those that have not left, and the generation.
    var targets: (byIndex: [UpstreamTarget], members: [Int], generation: UInt64) {
        state.withLock { state in
            let members = state.fleet.status(at: 0).enumerated().filter { !$0.element.hasLeft }.map(\.offset)
            return (state.targets, members, state.generation)
        }
    }

    /// Target of a choice that is not released yet. Nil if there is none.
    func target(of choice: FleetChoice) -> UpstreamTarget? {
        state.withLock { $0.targets.indices.contains(choice.target) ? $0.targets[choice.target] : nil }
    }

    var generation: UInt64 { state.withLock { $0.generation } }

    var isEmpty: Bool { state.withLock { $0.fleet.isEmpty } }

    /// True if addresses of names are targets.
    var followsNames: Bool { group.targets.contains(where: \.isEveryAddress) }

    /// True if a name has had no address so far.
    var awaitsAddresses: Bool { state.withLock { $0.followed.values.contains(0) } }

    /// Replaces the targets if the addresses of names have changed.
    func follow(_ names: NameResolver, at now: Int64) {
        let current = Dictionary(
            group.targets.filter(\.isEveryAddress).map { ($0.host, names.current($0.host)) },
            uniquingKeysWith: { first, _ in first })
        let generations = current.mapValues(\.generation)
        guard state.withLock({ $0.followed }) != generations else { return }
        var (members, targets) = ([FleetMember](), [UpstreamTarget]())
        for (target, weight) in zip(group.targets, group.weights) {
            let addresses = current[target.host]?.addresses.compactMap(\.ipAddress) ?? []
            for target in target.isEveryAddress ? addresses.map(target.at) : [target] where !targets.contains(target) {
                targets.append(target)
                members.append(FleetMember(name: target.name, weight: weight))
            }
        }
        take(members, targets, generations, at: now)
        logger.notice("Upstream targets changed", [.addresses: .list(targets.map(\.name))])
        tellIfEmpty()
    }

    private func take(
        _ members: [FleetMember], _ targets: [UpstreamTarget], _ generations: [String: UInt64], at now: Int64
    ) {
        change { state in
            state.followed = generations
            state.generation &+= 1
            for (target, index) in zip(targets, state.fleet.follow(members, at: now)) {
                guard let index else { continue }
                if index < state.targets.count { state.targets[index] = target } else { state.targets.append(target) }
            }
        }
    }

    /// Drains a target for an operator, or puts a drained one back into rotation. Returns false if no target has this
    /// name.
    func drain(_ name: String, _ isDrained: Bool, at now: Int64) -> Bool {
        guard change({ $0.fleet.drain(name, isDrained, at: now) }) else { return false }
        if isDrained {
            logger.notice("Upstream target is drained", [.upstream: .text(name)])
            tellIfEmpty()
        } else {
            logger.notice("Upstream target is no longer drained", [.upstream: .text(name)])
        }
        return true
    }

    // MARK: Outcomes

    func answered(_ choice: FleetChoice, status: Int, _ request: FleetRequest, after latency: Int64, at now: Int64) {
        tell(change { $0.fleet.answered(choice, status: status, request, after: latency, at: now) })
    }

    func failed(_ choice: FleetChoice, _ failure: FleetFailure, at now: Int64) {
        tell(change { $0.fleet.failed(choice, failure, at: now) })
    }

    func connectionBegan(_ choice: FleetChoice) {
        state.withLock { $0.fleet.connectionBegan(choice) }
    }

    func connectionEnded(_ choice: FleetChoice) {
        state.withLock { $0.fleet.connectionEnded(choice) }
    }

    func released(_ choice: FleetChoice) {
        change { $0.fleet.released(choice) }
    }

    /// Decides whether a request is retried. Each retry reduces the budget by one.
    func retries(_ failure: AttemptFailure, after attempts: Int, isReplayable: Bool, isHeld: Bool, at now: Int64)
        -> Bool
    {
        state.withLock {
            $0.fleet.retries(failure, after: attempts, isReplayable: isReplayable, isHeld: isHeld, at: now)
        }
    }

    /// Records the result of a target's health check. A fault of nil means that the target is healthy.
    func checked(_ index: Int, _ fault: CheckFault?, at now: Int64) {
        tell(change { $0.fleet.checked(index, fault, at: now) })
    }

    /// Targets to which a connection must be made now, with their indices.
    func dueForConnection(at now: Int64) -> [(index: Int, target: UpstreamTarget)] {
        state.withLock { state in
            state.fleet.dueForConnection(at: now).compactMap { index in
                state.targets.indices.contains(index) ? (index, state.targets[index]) : nil
            }
        }
    }

    /// Records whether the connection to a target from `dueForConnection` was made.
    func reached(_ index: Int, _ isThere: Bool, at now: Int64) {
        change { $0.fleet.reached(index, isThere, at: now) }
    }

    /// Time until a target may be back, if there is none now.
    func returnsAfter(at now: Int64) -> Duration { .nanoseconds(state.withLock { $0.fleet.returnsAfter(at: now) }) }

    // MARK: Places

    /// Number of requests that wait for a slot.
    var waitingCount: Int { state.withLock { $0.fleet.waitingCount } }

    /// Ends a request's wait. Returns false if it is about to be notified of its slot or of a refusal.
    func cancel(_ ticket: FleetTicket) -> Bool {
        state.withLock { state in
            state.waiting[ticket] = nil
            return state.fleet.cancel(ticket)
        }
    }

    /// Records that a connection is idle from now on. Its request is about to be released.
    func idleBegan(at index: Int, on loop: Int) {
        state.withLock { $0.fleet.idleBegan(at: index, on: loop) }
    }

    /// Records that idle connections were used or closed.
    func idleEnded(_ count: Int, at index: Int, on loop: Int) {
        state.withLock { $0.fleet.idleEnded(count, at: index, on: loop) }
    }

    /// Records that `count` idle connections were used or closed, so that a request has the slot of one.
    func idleReplaced(_ choice: FleetChoice, ended count: Int) {
        state.withLock { $0.fleet.idleReplaced(choice, ended: count) }
    }

    /// Notifies a request of its slot. If another loop's idle connection has that slot, the connection is closed first.
    func admit(_ request: WaitingRequest, _ choice: FleetChoice) {
        guard let loop = choice.replacedOn, loop != request.loop else { return request.admit(choice) }
        closers.close(of: self, choice, on: loop) { request.admit(choice) }
    }

    /// Changes the state, and notifies waiting requests of the consequences.
    @discardableResult
    private func change<Result: Sendable>(_ event: (inout State) -> Result) -> Result {
        guard isBounded else { return state.withLock { event(&$0) } }
        let (result, calls) = state.withLock { state in
            let result = event(&state)
            guard state.fleet.isAwaited else { return (result, [(WaitingRequest, FleetChoice?)]()) }
            let calls = state.fleet.takeCalls(at: EventLoopClock.now()).compactMap { call in
                switch call {
                case .admit(let ticket, let choice):
                    state.waiting.removeValue(forKey: ticket).map { ($0, FleetChoice?.some(choice)) }
                case .refuse(let ticket): state.waiting.removeValue(forKey: ticket).map { ($0, FleetChoice?.none) }
                }
            }
            return (result, calls)
        }
        for (request, choice) in calls {
            if let choice { admit(request, choice) } else { request.refuse() }
        }
        return result
    }

    // MARK: For people

    /// Status of the targets that have not left.
    func status(at now: Int64) -> [(target: UpstreamTarget, status: FleetTargetStatus)] {
        state.withLock { state in
            zip(state.targets, state.fleet.status(at: now)).filter { !$0.1.hasLeft }.map { (target: $0, status: $1) }
        }
    }

    private func tell(_ event: FleetEvent?) {
        switch event {
        case .ejected(let index, let failure):
            logger.warning(
                "Upstream target is left out after failures", [.upstream: name(of: index), .cause: .text(failure.text)])
        case .returned(let index): logger.notice("Upstream target is back", [.upstream: name(of: index)])
        case .down(let index, let fault):
            logger.warning(
                "Upstream target is left out after health checks",
                [.upstream: name(of: index), .cause: .text(fault.text)])
            tellIfEmpty()
        case .up(let index):
            logger.notice("Upstream target passes its health checks again", [.upstream: name(of: index)])
        case nil: break
        }
    }

    /// Logs an error if no target is left, with the reason for each. Requests are refused from now on.
    private func tellIfEmpty() {
        guard isEmpty else { return }
        let causes = status(at: EventLoopClock.now()).map { "\($0.target.name): \($0.status.cause?.text ?? "")" }
        let cause = causes.isEmpty ? "none of its names has an address" : causes.joined(separator: "; ")
        logger.error("No upstream target available", [.cause: .text(cause)])
    }

    private func name(of index: Int) -> LogValue {
        .text(state.withLock { $0.targets.indices.contains(index) ? $0.targets[index].name : "" })
    }
}

extension FleetFailure {
    /// Text of the failure in the operational log and on the admin listener.
    var text: String {
        switch self {
        case .connect: "no connection"
        case .reset: "the connection ended before a response, or the response was malformed"
        case .timeout: "no response in time"
        case .takesNoRequests: "takes no requests: its SETTINGS_MAX_CONCURRENT_STREAMS is 0"
        case .answer(let status): "answered \(status)"
        case .check(let fault): "health check: \(fault.text)"
        case .drained: "drained by an operator"
        }
    }
}

extension CheckFault {
    /// Text of the fault in the operational log and on the admin listener.
    var text: String {
        switch self {
        case .connect: "no connection"
        case .reset: "the connection ended before a response, or the response was malformed"
        case .timeout: "no response in time"
        case .status(let status): "answered \(status)"
        case .notServing: "gRPC: not serving"
        case .grpc(let status):
            status.map { "gRPC: status \($0)" } ?? "the response is not one of gRPC's health service"
        }
    }
}
