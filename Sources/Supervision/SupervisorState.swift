/// What a supervisor knows of its workers, and what each event means: no processes, no signals, no clock.
public struct SupervisorState: ~Copyable {
    public typealias PID = Int32

    public enum Signal: Sendable, Hashable {
        case terminate
        /// Reload, reopen: for the worker.
        case passOn(Int32)
        /// Start another worker of the program as it is on disk now, and let the present one end.
        case upgrade
    }

    public enum Action: Sendable, Hashable {
        /// Start a worker, now or when the time has come.
        case start(at: Duration)
        case send(Int32, to: PID)
        /// Tell the worker to leave everything to its successor and to end.
        case retire(PID)
        /// Tell the worker that it may accept connections: its predecessor has stopped.
        case release(PID)
        case tellReady
        case tellStopping
        case report(SupervisorEvent)
        case exit(Int32)
    }

    private struct Worker {
        let pid: PID
        let startedAt: Duration
        var isReady = false
    }

    /// Who serves, or is about to.
    private var current: Worker?
    /// Who will, during an upgrade.
    private var successor: Worker?
    /// Who ends, as told.
    private var leaving: Set<PID> = []
    /// Whose end of accepting the present worker waits for.
    private var handingOver: PID?
    private var policy = RestartPolicy()
    private var isUpgrading = false
    /// An upgrade was asked for while a worker was only starting.
    private var owesUpgrade = false
    private var isEnding = false
    private var wasReady = false
    /// How often a worker was replaced that was not told to end.
    public private(set) var restarts = 0
    private let terminateSignal: Int32

    public init(terminateSignal: Int32) {
        self.terminateSignal = terminateSignal
    }

    // MARK: Events

    public mutating func started(_ pid: PID, at now: Duration) {
        let worker = Worker(pid: pid, startedAt: now)
        if isUpgrading { successor = worker } else { current = worker }
    }

    /// A worker could not even be started.
    public mutating func startFailed(at now: Duration) -> [Action] {
        isUpgrading = false
        guard current == nil else { return [.report(.upgradeFailed(cause: nil))] }
        guard case .restart(let pause) = policy.workerEnded(after: .zero, at: now), wasReady else { return [.exit(70)] }
        // At once would fail at once.
        let time = max(pause, RestartPolicy.firstPause)
        return [.report(.startRetried(after: time)), .start(at: now + time)]
    }

    /// A worker serves.
    public mutating func becameReady(_ pid: PID) -> [Action] {
        if current?.pid == pid {
            current?.isReady = true
            policy.workerServes()
            defer { wasReady = true }
            // Another may still be leaving, but there is nothing to hand over.
            return [.release(pid)] + (wasReady ? [] : [.tellReady]) + upgradeIfOwed()
        }
        guard successor?.pid == pid, var worker = successor else { return [] }
        worker.isReady = true
        policy.workerServes()
        let predecessor = current
        (current, successor, isUpgrading) = (worker, nil, false)
        guard let predecessor else { return [.release(pid)] + upgradeIfOwed() }
        leaving.insert(predecessor.pid)
        handingOver = predecessor.pid
        return [.retire(predecessor.pid), .report(.tookOver(successor: pid, from: predecessor.pid))] + upgradeIfOwed()
    }

    private mutating func upgradeIfOwed() -> [Action] {
        guard owesUpgrade else { return [] }
        (owesUpgrade, isUpgrading) = (false, true)
        return [.start(at: .zero)]
    }

    /// A worker that leaves takes no more connections.
    public mutating func stoppedAccepting(_ pid: PID) -> [Action] {
        guard handingOver == pid, let current else { return [] }
        handingOver = nil
        return [.release(current.pid)]
    }

    /// A worker ended.
    ///
    /// - Parameters:
    ///   - how: in words, for the log.
    ///   - status: its exit status; nil if a signal ended it.
    public mutating func ended(_ pid: PID, status: Int32?, _ how: String, at now: Duration) -> [Action] {
        if leaving.remove(pid) != nil { return stoppedAccepting(pid) + exitIfDone(status: 0) }
        if let worker = successor, worker.pid == pid {
            (successor, isUpgrading) = (nil, false)
            if isEnding { return exitIfDone(status: 0) }
            guard current == nil else { return [.report(.upgradeFailed(cause: how))] }
            return replace(worker, how, at: now)
        }
        guard let worker = current, worker.pid == pid else { return [] }
        current = nil
        if isEnding { return exitIfDone(status: status ?? 70) }
        if isUpgrading { return [.report(.endedBeforeSuccessor(pid, how: how))] }
        // A worker reports errors at its start itself, and a restart does not help.
        if !wasReady, let status, status != 0 { return [.exit(status)] }
        return replace(worker, how, at: now)
    }

    private mutating func replace(_ worker: Worker, _ how: String, at now: Duration) -> [Action] {
        switch policy.workerEnded(after: now - worker.startedAt, at: now) {
        case .giveUp: return [.report(.givenUp(worker.pid, how: how)), .exit(70)]
        case .restart(let pause):
            restarts += 1
            return [.report(.replaced(worker.pid, how: how, after: pause)), .start(at: now + pause)]
        }
    }

    public mutating func signalled(_ signal: Signal, at now: Duration) -> [Action] {
        switch signal {
        case .terminate:
            guard !isEnding else { return [] }
            isEnding = true
            let all = [current?.pid, successor?.pid].compactMap { $0 }
            return [.tellStopping] + all.map { .send(terminateSignal, to: $0) } + (all.isEmpty ? exitIfDone(status: 0) : [])
        case .passOn(let number):
            return [current?.pid, successor?.pid].compactMap { $0 }.map { .send(number, to: $0) }
        case .upgrade:
            guard !isEnding else { return [] }
            guard !isUpgrading, current?.isReady == true else {
                owesUpgrade = true
                return []
            }
            isUpgrading = true
            return [.start(at: now)]
        }
    }

    /// Whether a start that was asked for should still happen.
    public var wantsWorker: Bool { !isEnding && (isUpgrading ? successor == nil : current == nil) }

    /// Whether a worker is being waited for: until it is ready, or has stopped accepting.
    public var isWaiting: Bool { current?.isReady == false || successor != nil || handingOver != nil }

    /// Ends once no worker is left.
    private func exitIfDone(status: Int32) -> [Action] {
        isEnding && current == nil && successor == nil && leaving.isEmpty ? [.exit(status)] : []
    }
}
