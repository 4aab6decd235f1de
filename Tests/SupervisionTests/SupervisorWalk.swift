import TestSupport
import Testing

@testable import Supervision

/// A supervisor's state machine with workers that hang, crash, are late and send unexpected messages, in virtual time.
struct SupervisorWalk: ~Copyable {
    /// Actual state of a worker's process.
    struct Worker {
        let pid: Int32
        let startedAt: Duration
        /// True if another worker exists, so that this one waits until it may accept connections.
        let waits: Bool
        /// True if it never makes progress by itself.
        var hangs: Bool
        var isReady = false
        var isReleased = false
        var retiredAt: Duration?
        var hasStopped = false
        var isToldToEnd = false
        var isKilled = false
        var limits: WorkerLimits

        var accepts: Bool { !isKilled && !hasStopped && (isReleased || !waits) }
        var serves: Bool { isReady && accepts && retiredAt == nil && !isToldToEnd }
    }

    static let longestStart = Duration.seconds(90)
    static let longestEnd = Duration.seconds(60)
    /// Time that a healthy worker takes to start, and to stop accepting.
    private static let healthyStart = Duration.seconds(2)
    private static let healthyStop = Duration.milliseconds(100)

    private var state: SupervisorState
    private var generator: SeededGenerator
    private(set) var now = Duration.zero
    private(set) var workers: [Worker] = []
    private var startAt: Duration? = .zero
    private var nextPID: Int32 = 100
    private(set) var exit: Int32?
    private(set) var faults: [String] = []
    private(set) var events = 0
    private var startsFail = false
    /// Longest time without a serving worker after all faults ended.
    private(set) var longestOutage = Duration.zero
    private(set) var longestEnding = Duration.zero

    init(seed: UInt64) {
        state = SupervisorState(terminateSignal: 15, limits: WorkerLimits(start: .seconds(60), end: .seconds(30)))
        generator = SeededGenerator(seed: seed)
    }

    /// Starts the first worker, which serves.
    mutating func begin() {
        pass(.zero)
        change(100) { $0.hangs = false }
        ready(100)
    }

    // MARK: What the machine asks for

    private mutating func perform(_ actions: [SupervisorState.Action]) {
        for action in actions {
            switch action {
            case .start(let time):
                if time > now + .seconds(10) { faults.append("a pause of \(time - now)") }
                startAt = time
            case .send(let signal, let pid): if signal == 15 { change(pid) { $0.isToldToEnd = true } }
            case .retire(let pid):
                let time = now
                change(pid) { $0.retiredAt = time }
            case .release(let pid, let isSilent): release(pid, isSilent)
            case .kill(let pid): change(pid) { $0.isKilled = true }
            case .exit(let status): exit = status
            case .tellReady, .tellStopping, .report: break
            }
        }
        check()
    }

    private mutating func change(_ pid: Int32, _ body: (inout Worker) -> Void) {
        guard let index = workers.firstIndex(where: { $0.pid == pid }) else { return }
        body(&workers[index])
    }

    private mutating func release(_ pid: Int32, _ isSilent: Bool) {
        let others = workers.filter { $0.pid != pid && $0.accepts }
        let early = others.filter { worker in worker.retiredAt.map { now - $0 < SupervisorPatience.handOver } ?? true }
        if !early.isEmpty { faults.append("\(pid) accepts beside \(early.map(\.pid))") }
        if isSilent == others.isEmpty { faults.append("\(pid) is told \(isSilent) of \(others.map(\.pid))") }
        change(pid) { $0.isReleased = true }
    }

    // MARK: What must hold at any time

    private mutating func check() {
        guard exit == nil else { return }
        let deadline = state.deadline
        if state.isWaiting, deadline == nil { faults.append("a wait without end") }
        let beginning = workers.filter { !$0.isKilled && !$0.isReady && $0.retiredAt == nil && !$0.isToldToEnd }
        if beginning.count > 2 { faults.append("\(beginning.count) begin at once") }
        guard !state.isEnding else { return }
        let isDue = startAt != nil && state.wantsWorker
        let waiting = workers.contains { $0.isReady && !$0.isKilled && $0.retiredAt == nil && !$0.accepts }
        if !isDue && beginning.isEmpty && !waiting && !workers.contains(where: \.serves) {
            faults.append("nobody serves, and nobody begins")
        }
        for worker in workers where !worker.isKilled {
            if !worker.isReady, now > worker.startedAt + worker.limits.start {
                faults.append("\(worker.pid) may start for ever")
            }
            guard let retiredAt = worker.retiredAt else { continue }
            if now > retiredAt + worker.limits.end + SupervisorPatience.margin {
                faults.append("\(worker.pid) may stay for ever")
            }
        }
        if waiting, workers.allSatisfy({ $0.retiredAt.map { now - $0 > SupervisorPatience.handOver } ?? true }) {
            faults.append("a worker waits for nobody")
        }
    }

    // MARK: Time

    /// Advances the time, and runs everything that falls due.
    private mutating func pass(_ duration: Duration) {
        let end = now + duration
        while exit == nil, let next = [startAt, state.deadline].compactMap(\.self).min(), next <= end {
            now = max(now, next)
            if let startAt, startAt <= now { start() }
            guard exit == nil else { return }
            perform(state.timePassed(at: now))
            if let deadline = state.deadline, deadline <= now { return faults.append("a wait that is over goes on") }
        }
        now = max(now, end)
    }

    private mutating func start() {
        startAt = nil
        guard state.wantsWorker else { return }
        if startsFail {
            startsFail = false
            return perform(state.startFailed(at: now))
        }
        workers.append(
            Worker(
                pid: nextPID, startedAt: now, waits: !workers.isEmpty, hangs: generator.once(in: 3),
                limits: state.limits))
        state.started(nextPID, at: now)
        nextPID += 1
        check()
    }

    // MARK: Faults

    private mutating func pick(_ isFit: (Worker) -> Bool) -> Worker? {
        let fit = workers.filter(isFit)
        return fit.isEmpty ? nil : generator.pick(fit)
    }

    /// Makes one random event happen.
    mutating func step() {
        events += 1
        switch Int.random(in: 0..<100, using: &generator) {
        case ..<30: pass(.milliseconds(Int.random(in: 0...200, using: &generator)))
        case ..<40: pass(.milliseconds(Int.random(in: 0...20_000, using: &generator)))
        case ..<55: if let worker = pick({ !$0.isReady && !$0.hangs && !$0.isKilled }) { ready(worker.pid) }
        case ..<65: if let worker = pick({ $0.retiredAt != nil && !$0.hangs && !$0.hasStopped }) { stopped(worker.pid) }
        case ..<71: if let worker = pick({ !$0.isKilled }) { ended(worker.pid) }
        case ..<75: if let worker = pick({ $0.isKilled }) { ended(worker.pid) }
        case ..<78: if let worker = pick({ ($0.hasStopped || $0.isToldToEnd) && !$0.hangs }) { ended(worker.pid) }
        case ..<82: if let worker = pick({ !$0.hangs }) { change(worker.pid) { $0.hangs = true } }
        case ..<85: if let worker = pick({ $0.hangs && !$0.isKilled }) { change(worker.pid) { $0.hangs = false } }
        case ..<91: perform(state.signalled(.upgrade, at: now))
        case ..<93: perform(state.signalled(.passOn(1), at: now))
        case ..<94: startsFail = state.wasReady
        case ..<96: restate(pick { !$0.isKilled })
        default: talkOutOfTurn()
        }
    }

    private mutating func ready(_ pid: Int32) {
        change(pid) { $0.isReady = true }
        perform(state.becameReady(pid, at: now))
    }

    private mutating func stopped(_ pid: Int32) {
        change(pid) { $0.hasStopped = true }
        perform(state.stoppedAccepting(pid))
    }

    private mutating func ended(_ pid: Int32) {
        workers.removeAll { $0.pid == pid }
        perform(state.ended(pid, status: nil, "was killed by signal 9", at: now))
    }

    /// A worker reads its file, which has changed time limits.
    private mutating func restate(_ worker: Worker?) {
        guard let worker, worker.retiredAt == nil, !worker.isToldToEnd else { return }
        let limits = WorkerLimits(
            start: .seconds(Int.random(in: 5...90, using: &generator)),
            end: .seconds(Int.random(in: 0...60, using: &generator)))
        change(worker.pid) { $0.limits = limits }
        state.stated(limits, by: worker.pid)
        perform(state.timePassed(at: now))
    }

    /// Messages of workers that are dead, killed, or were not asked; repeated messages.
    private mutating func talkOutOfTurn() {
        let pid = Int32.random(in: 99...nextPID, using: &generator)
        let worker = workers.first { $0.pid == pid }
        guard worker == nil || worker?.isKilled == true || worker?.isReady == true else { return }
        if generator.once(in: 2) {
            perform(state.becameReady(pid, at: now))
        } else if worker?.retiredAt == nil || worker?.hasStopped == true {
            perform(state.stoppedAccepting(pid))
        } else {
            stopped(pid)
        }
    }

    // MARK: What must come

    /// Ends all faults: from now on new workers are healthy. Requests an upgrade, since a serving worker may be stuck
    /// unnoticed. Waits until a worker serves that was started afterwards.
    mutating func calm(within limit: Duration) {
        let asked = now
        startsFail = false
        perform(state.signalled(.upgrade, at: now))
        var servedAfter: Duration?
        while exit == nil, now - asked <= limit {
            heal(since: asked)
            let serving = workers.filter { $0.serves && !$0.hangs }
            if servedAfter == nil, !serving.isEmpty { servedAfter = now - asked }
            if serving.contains(where: { $0.startedAt >= asked }) {
                longestOutage = max(longestOutage, servedAfter ?? .zero)
                return
            }
            pass(.milliseconds(50))
        }
        faults.append("nobody new serves after \(limit), exit \(exit.map { "\($0)" } ?? "none")")
    }

    private mutating func heal(since asked: Duration) {
        for worker in workers where worker.startedAt >= asked { change(worker.pid) { $0.hangs = false } }
        for worker in workers where !worker.hangs && !worker.isKilled {
            if !worker.isReady, now - worker.startedAt >= Self.healthyStart { ready(worker.pid) }
            if !worker.hasStopped, let retiredAt = worker.retiredAt, now - retiredAt >= Self.healthyStop {
                stopped(worker.pid)
            }
        }
        for worker in workers where worker.isKilled { ended(worker.pid) }
    }

    /// Tells the supervisor to terminate, which it does whatever its workers do.
    mutating func end(within limit: Duration) {
        let told = now
        perform(state.signalled(.terminate, at: now))
        while exit == nil, now - told <= limit {
            pass(.milliseconds(500))
            if generator.once(in: 10), let worker = pick({ $0.isKilled || !$0.hangs }) { ended(worker.pid) }
        }
        longestEnding = max(longestEnding, now - told)
        if exit == nil { faults.append("no end after \(limit)") }
    }
}
