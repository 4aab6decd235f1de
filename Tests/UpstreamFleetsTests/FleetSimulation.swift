import ProxySettings
import TestSupport

@testable import UpstreamFleets

/// Requests, targets and their faults as events in time. All randomness comes from one seed.
///
/// A target is up, refuses connections, or never completes them. A target that goes down aborts its requests. Some
/// responses are 503.
struct FleetSimulation {
    /// Violation of a rule.
    enum Violation: Hashable {
        /// A request ended without a response although another attempt was allowed, within the budget, and possible.
        case lost
        /// A request that must not be repeated was sent twice.
        case sentTwice
        /// More retries within ten seconds than the budget allows.
        case budget
        /// A request went to an ejected target, and was not its probe.
        case ejectedTargetUsed
        /// One of four good targets had a third more, or less, than its share over two seconds.
        case imbalance
        /// More than two of four targets were ejected.
        case tooManyOut
        /// A target that was down had more failures than its limit plus its requests in flight.
        case slowEjection
    }

    struct Report {
        var violations: [Violation: Int] = [:]
        var answered = 0
        /// Requests that ended without a response of a target.
        var unanswered = 0
        var retries = 0
        var ejections = 0
        var probes = 0
        /// Time spans in which every target was good.
        var calmSpans = 0
    }

    private enum Condition { case up, refuses, swallows }

    private struct Request {
        var isReplayable: Bool
        var client: UInt64
        var tried = TargetSet()
        var attempts = 0
        /// Number of attempts with written bytes, and whether the present attempt is one.
        var writes = 0
        var isWritten = false
        var choice: FleetChoice?
        var startedAt: Int64 = 0
        var isReused = false
        /// Number that distinguishes this attempt's events from an earlier one's.
        var epoch = 0
    }

    private enum Event {
        case arrival
        case ending(request: Int, epoch: Int)
        case fault
        case span
        /// The gateway checks which targets it must connect to.
        case look
        case reached(target: Int)
    }

    private static let second: Int64 = 1_000_000_000
    private static let millisecond: Int64 = 1_000_000

    private var fleet: MutantFleet
    private var generator: SeededGenerator
    private var report = Report()
    private var events = EventQueue<Event>()
    private var conditions: [Condition] = [.up, .up, .up, .up]
    private var failuresSinceDown = [0, 0, 0, 0]
    private var requests: [Int: Request] = [:]
    private var arrivals = 0
    private let most: Int
    private let calm: Int64
    private var now: Int64 = 0
    /// Requests per target in the present time span.
    private var chosen = [0, 0, 0, 0]
    private var isCalm = true
    private var lastTrouble: Int64 = 0
    private var probeUntil: [Int: Int64] = [:]
    /// Requests by second, for the budget; counted a second time on purpose.
    private var arrived: [Int64: Int] = [:]
    private var retried: [Int64: Int] = [:]

    /// - Parameter calm: seconds without a fault after each fault.
    init(_ fleet: MutantFleet, requests: Int, calm: Int64 = 24, seed: UInt64) {
        self.fleet = fleet
        self.calm = calm
        most = requests
        generator = SeededGenerator(seed: seed)
    }

    mutating func run() -> Report {
        events.push(.arrival, at: 0)
        events.push(.fault, at: 5 * Self.second)
        events.push(.span, at: 2 * Self.second)
        events.push(.look, at: 0)
        while let (time, event) = events.pop() {
            now = time
            switch event {
            case .arrival: arrive()
            case .ending(let request, let epoch): end(request, epoch)
            case .fault: changeConditions()
            case .span: judgeSpan()
            case .look: look()
            case .reached(let target): fleet.fleet.reached(target, conditions[target] == .up, at: now)
            }
        }
        return report
    }

    private mutating func violate(_ violation: Violation) { report.violations[violation, default: 0] += 1 }

    // MARK: Requests

    private mutating func arrive() {
        guard arrivals < most else { return }
        arrivals += 1
        arrived[now / Self.second, default: 0] += 1
        requests[arrivals] = Request(
            isReplayable: !generator.once(in: 3), client: UInt64.random(in: 0..<500, using: &generator))
        attempt(arrivals)
        events.push(.arrival, at: now + Int64.random(in: 100_000..<900_000, using: &generator))
    }

    private mutating func attempt(_ number: Int) {
        guard var request = requests[number] else { return }
        let wasOut = fleet.fleet.status(at: now).map { !$0.isIn }
        guard let choice = fleet.choose(avoiding: request.tried, at: now) else {
            // There is always a target that a request can use.
            violate(.lost)
            requests[number] = nil
            return report.unanswered += 1
        }
        if wasOut[choice.target] {
            report.probes += 1
            // One probe at a time, and none before the ejection ends.
            if probeUntil[choice.target].map({ now < $0 }) ?? true { violate(.ejectedTargetUsed) }
            probeUntil[choice.target] = now + 10 * Self.second
        }
        chosen[choice.target] += 1
        request.tried.insert(choice.target)
        request.attempts += 1
        request.epoch += 1
        request.choice = choice
        request.startedAt = now
        request.isReused = !generator.once(in: 5)
        request.isWritten = false
        let delay: Int64
        switch conditions[choice.target] {
        case .up:
            request.writes += 1
            request.isWritten = true
            delay = Int64.random(in: Self.millisecond..<5 * Self.millisecond, using: &generator)
        case .refuses: delay = 200_000
        case .swallows: delay = 3 * Self.second
        }
        if request.writes > 1, !request.isReplayable { violate(.sentTwice) }
        requests[number] = request
        events.push(.ending(request: number, epoch: request.epoch), at: now + delay)
    }

    private mutating func end(_ number: Int, _ epoch: Int) {
        guard let request = requests[number], request.epoch == epoch, let choice = request.choice else { return }
        guard conditions[choice.target] == .up else { return fail(number, .unconnected, .connect) }
        if !request.isWritten {
            // The connection completed at last.
            requests[number]?.isWritten = true
            requests[number]?.writes += 1
            return events.push(.ending(request: number, epoch: epoch), at: now + 2 * Self.millisecond)
        }
        if generator.once(in: 5_000) { return fail(number, .unanswered, .timeout) }
        let status = generator.once(in: 200) ? 503 : 200
        let asked = FleetRequest(rule: Int(request.client % 3), client: ClientKey(high: 0, low: request.client))
        note(fleet.answered(choice, status: status, asked, after: now - request.startedAt, at: now))
        fleet.released(choice)
        requests[number] = nil
        report.answered += 1
    }

    private mutating func fail(_ number: Int, _ failure: AttemptFailure, _ seen: FleetFailure) {
        guard let request = requests[number], let choice = request.choice else { return }
        if seen == .connect { countFailure(of: choice) }
        note(fleet.failed(choice, seen, at: now))
        fleet.released(choice)
        let hasBudget = isWithinBudget
        let isAllowed = fleet.retries(
            failure, after: request.attempts, isReplayable: request.isReplayable, isHeld: false, at: now)
        guard isAllowed else {
            if failure == .unconnected, request.attempts < Fleet.mostAttempts, hasBudget { violate(.lost) }
            requests[number] = nil
            return report.unanswered += 1
        }
        if !hasBudget { violate(.budget) }
        report.retries += 1
        retried[now / Self.second, default: 0] += 1
        attempt(number)
    }

    /// Counts failures: each target is ejected after its limit, and requests then in flight still fail.
    private mutating func countFailure(of choice: FleetChoice) {
        let status = fleet.fleet.status(at: now)
        guard status[choice.target].isIn, !choice.isProbe, status.count(where: { !$0.isIn }) < 2 else { return }
        failuresSinceDown[choice.target] += 1
        if failuresSinceDown[choice.target] > 5 { violate(.slowEjection) }
    }

    private var isWithinBudget: Bool {
        let seconds = (now / Self.second - 9)...(now / Self.second)
        let (made, had) = seconds.reduce((0, 0)) { ($0.0 + retried[$1, default: 0], $0.1 + arrived[$1, default: 0]) }
        return made < max(30, had / 5)
    }

    private mutating func note(_ event: FleetEvent?) {
        switch event {
        case .ejected(let target, _):
            report.ejections += 1
            probeUntil[target] = now + 10 * Self.second
            failuresSinceDown[target] = 0
            if fleet.fleet.status(at: now).count(where: { !$0.isIn }) > 2 { violate(.tooManyOut) }
        case .returned(let target):
            probeUntil[target] = nil
            failuresSinceDown[target] = 0
        // There are no health checks here.
        case .down, .up, nil: break
        }
    }

    private mutating func look() {
        guard arrivals < most else { return }
        for target in fleet.fleet.dueForConnection(at: now) {
            events.push(
                .reached(target: target),
                at: now + (conditions[target] == .swallows ? 3 * Self.second : Self.millisecond))
        }
        events.push(.look, at: now + Self.second / 4)
    }

    // MARK: Faults

    private mutating func changeConditions() {
        guard arrivals < most else { return }
        isCalm = false
        lastTrouble = now
        let target = Int.random(in: 0..<4, using: &generator)
        // Long calm, so that shares can be judged; then faults, sometimes of several targets.
        let isTrouble = conditions.allSatisfy { $0 == .up } || generator.once(in: 3)
        if generator.once(in: 12) {
            for target in conditions.indices where conditions[target] == .up {
                (conditions[target], failuresSinceDown[target]) = (.refuses, 0)
                endWork(of: target)
            }
            return events.push(.fault, at: now + 2 * Self.second)
        }
        if isTrouble {
            conditions[target] = generator.once(in: 2) ? .refuses : .swallows
            failuresSinceDown[target] = 0
            endWork(of: target)
        } else {
            for target in conditions.indices { (conditions[target], failuresSinceDown[target]) = (.up, 0) }
        }
        events.push(.fault, at: now + (isTrouble ? Int64.random(in: 1...8, using: &generator) : calm) * Self.second)
    }

    /// Aborts the requests at a target that goes down, without a response.
    private mutating func endWork(of target: Int) {
        for (number, request) in requests.sorted(by: { $0.key < $1.key }) where request.choice?.target == target {
            let failure = AttemptFailure.closed(isReused: request.isReused, responseBegan: generator.once(in: 4))
            fail(number, failure, .reset)
        }
        failuresSinceDown[target] = 0
    }

    // MARK: Shares

    private mutating func judgeSpan() {
        guard arrivals < most else { return }
        let isQuiet = now - lastTrouble > 15 * Self.second && conditions.allSatisfy { $0 == .up }
        if isQuiet, isCalm, fleet.fleet.status(at: now).allSatisfy(\.isIn) {
            report.calmSpans += 1
            let mean = Double(chosen.reduce(0, +)) / 4
            if chosen.contains(where: { abs(Double($0) - mean) > mean / 3 }) { violate(.imbalance) }
        }
        chosen = [0, 0, 0, 0]
        isCalm = true
        events.push(.span, at: now + 2 * Self.second)
    }
}
