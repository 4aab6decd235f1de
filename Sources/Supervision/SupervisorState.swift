/// What a supervisor knows of its workers, and what each event means: no processes, no signals, no clock.
///
/// At most two workers begin at the same time: the successor of an upgrade, and one in place of a worker that died
/// meanwhile. The first that is ready serves, and the other is killed. Every wait has an end: ``deadline`` says when
/// the next one comes, and ``timePassed(at:)`` what follows.
public struct SupervisorState: ~Copyable {
    public typealias PID = Int32

    public enum Signal: Sendable, Hashable {
        case terminate
        /// Reload, reopen: for the worker. It is blocked in a worker until that can take it, and lost in none.
        case passOn(Int32)
        /// Start another worker of the program as it is on disk now, and let the present one end.
        case upgrade
    }

    public enum Action: Sendable, Hashable {
        /// Start a worker, now or when the time has come; takes the place of what was said before.
        case start(at: Duration)
        case send(Int32, to: PID)
        /// Tell the worker to leave everything to its successor and to end.
        case retire(PID)
        /// Tell the worker that it may accept connections: its predecessor has stopped, or has not said so in time.
        case release(PID, isPredecessorSilent: Bool)
        /// End the worker now, stuck or stopped as it may be. From then on it does nothing.
        case kill(PID)
        case tellReady
        case tellStopping
        case report(SupervisorEvent)
        case exit(Int32)
    }

    /// Who serves, or is about to.
    var current: SupervisedWorker?
    /// Who will, during an upgrade; never ready, because then it is the current one.
    var successor: SupervisedWorker?
    /// The start of a successor was asked for, and has not come yet.
    private var awaitsSuccessor = false
    /// Whether the current worker was told that it may accept.
    private var isReleased = false
    var leaving: [LeavingWorker] = []
    var killed: [KilledWorker] = []
    private var policy = RestartPolicy()
    /// An upgrade was asked for while a worker was starting.
    private var owesUpgrade = false
    var isEnding = false
    private(set) var wasReady = false
    /// Who served when the end began, and with which status everything ends.
    private var servedLast: PID?
    var endStatus: Int32 = 0
    /// How often a worker was replaced that was not told to end.
    public private(set) var restarts = 0
    private let terminateSignal: Int32
    /// What a new worker has until it says so itself.
    private(set) var limits: WorkerLimits

    public init(terminateSignal: Int32, limits: WorkerLimits) {
        self.terminateSignal = terminateSignal
        self.limits = limits
    }

    // MARK: Events

    public mutating func started(_ pid: PID, at now: Duration) {
        let worker = SupervisedWorker(pid: pid, startedAt: now, limits: limits)
        awaitsSuccessor = false
        if current == nil {
            (current, isReleased) = (worker, false)
        } else {
            successor = worker
        }
    }

    /// A worker could not even be started.
    public mutating func startFailed(at now: Duration) -> [Action] {
        awaitsSuccessor = false
        guard current == nil else { return [.report(.upgradeFailed(cause: nil))] + upgradeIfOwed(at: now) }
        guard case .restart(let pause) = policy.workerEnded(after: .zero, at: now), wasReady else { return [.exit(70)] }
        // At once would fail at once.
        let time = max(pause, RestartPolicy.firstPause)
        return [.report(.startRetried(after: time)), .start(at: now + time)]
    }

    /// A worker has read its file, at its start or later.
    public mutating func stated(_ limits: WorkerLimits, by pid: PID) {
        if current?.pid == pid {
            current?.limits = limits
        } else if successor?.pid == pid {
            successor?.limits = limits
        } else {
            return
        }
        self.limits = limits
    }

    /// A worker serves, or would if it might accept.
    public mutating func becameReady(_ pid: PID, at now: Duration) -> [Action] {
        if current?.pid == pid, current?.isReady == false {
            current?.readyAt = now
            guard let late = successor else { return serves(at: now) }
            successor = nil
            return kill(late.pid, at: now) + [.report(.outrun(late.pid, by: pid))] + serves(at: now)
        }
        guard var worker = successor, worker.pid == pid else { return [] }
        worker.readyAt = now
        let (predecessor, accepts) = (current, isReleased)
        (current, successor, isReleased) = (worker, nil, false)
        guard let predecessor else { return serves(at: now) }
        guard predecessor.isReady else {
            return kill(predecessor.pid, at: now) + [.report(.outrun(predecessor.pid, by: pid))] + serves(at: now)
        }
        // One that was never released has nothing to stop.
        let stopsBy = accepts ? now + SupervisorPatience.handOver : nil
        let endsBy = predecessor.hasEnded(toldAt: now)
        leaving.append(LeavingWorker(pid: predecessor.pid, stopsAcceptingBy: stopsBy, endsBy: endsBy))
        return [.retire(predecessor.pid), .report(.tookOver(successor: pid, from: predecessor.pid))] + serves(at: now)
    }

    /// What follows when the current worker has become ready.
    private mutating func serves(at now: Duration) -> [Action] {
        policy.workerServes()
        defer { wasReady = true }
        return releaseIfFree() + (wasReady ? [] : [.tellReady]) + upgradeIfOwed(at: now)
    }

    /// Two workers that wait on one socket wake each other for nothing.
    mutating func releaseIfFree() -> [Action] {
        guard let current, current.isReady, !isReleased else { return [] }
        guard leaving.allSatisfy({ $0.stopsAcceptingBy == nil }) else { return [] }
        isReleased = true
        return [.release(current.pid, isPredecessorSilent: leaving.contains(where: \.isSilent))]
    }

    mutating func upgradeIfOwed(at now: Duration) -> [Action] {
        guard owesUpgrade, !isEnding, current?.isReady == true, successor == nil, !awaitsSuccessor else { return [] }
        (owesUpgrade, awaitsSuccessor) = (false, true)
        return [.start(at: now)]
    }

    /// A worker that leaves takes no more connections.
    public mutating func stoppedAccepting(_ pid: PID) -> [Action] {
        guard let index = leaving.firstIndex(where: { $0.pid == pid }) else { return [] }
        leaving[index].stopsAcceptingBy = nil
        leaving[index].isSilent = false
        return releaseIfFree()
    }

    /// A worker ended.
    ///
    /// - Parameters:
    ///   - how: in words, for the log.
    ///   - status: its exit status; nil if a signal ended it.
    public mutating func ended(_ pid: PID, status: Int32?, _ how: String, at now: Duration) -> [Action] {
        if let index = killed.firstIndex(where: { $0.pid == pid }) {
            killed.remove(at: index)
            return exitIfDone()
        }
        if let index = leaving.firstIndex(where: { $0.pid == pid }) {
            leaving.remove(at: index)
            if pid == servedLast { endStatus = status ?? 70 }
            return releaseIfFree() + exitIfDone()
        }
        if let worker = successor, worker.pid == pid {
            successor = nil
            return lost(worker, how, at: now)
        }
        guard let worker = current, worker.pid == pid else { return [] }
        current = nil
        // A worker reports errors at its start itself, and a restart does not help.
        if !wasReady, let status, status != 0 { return [.exit(status)] }
        return replace(worker, how, at: now)
    }

    /// The successor of an upgrade is gone.
    mutating func lost(_ worker: SupervisedWorker, _ how: String, at now: Duration) -> [Action] {
        // Another is on its way, or due.
        guard current?.isReady == true else { return [.report(.endedBesideAnother(worker.pid, how: how))] }
        return [.report(.upgradeFailed(cause: how))] + upgradeIfOwed(at: now)
    }

    /// The current worker is gone, and another comes at once, whether the successor of an upgrade is on its way or not.
    mutating func replace(_ worker: SupervisedWorker, _ how: String, at now: Duration) -> [Action] {
        // What would have been started beside it takes its place.
        awaitsSuccessor = false
        switch policy.workerEnded(after: worker.lifetime(at: now), at: now) {
        case .giveUp: return [.report(.givenUp(worker.pid, how: how)), .exit(70)]
        case .restart(let pause):
            restarts += 1
            return [.report(.replaced(worker.pid, how: how, after: pause)), .start(at: now + pause)]
        }
    }

    public mutating func signalled(_ signal: Signal, at now: Duration) -> [Action] {
        switch signal {
        case .terminate: return isEnding ? [] : end(at: now)
        case .passOn(let number): return [current, successor].compactMap { $0.map { .send(number, to: $0.pid) } }
        case .upgrade:
            guard !isEnding else { return [] }
            owesUpgrade = true
            return upgradeIfOwed(at: now)
        }
    }

    private mutating func end(at now: Duration) -> [Action] {
        isEnding = true
        var actions: [Action] = [.tellStopping]
        // Nobody is served by it, and it would first have to start.
        if let worker = successor { actions += kill(worker.pid, at: now) }
        if let worker = current {
            servedLast = worker.pid
            leaving.append(LeavingWorker(pid: worker.pid, endsBy: worker.hasEnded(toldAt: now)))
            actions.append(.send(terminateSignal, to: worker.pid))
        }
        (current, successor, awaitsSuccessor) = (nil, nil, false)
        return actions + exitIfDone()
    }

    /// Whether a start that was asked for should still happen.
    public var wantsWorker: Bool { !isEnding && (current == nil || awaitsSuccessor) }

    // MARK: Ends

    mutating func kill(_ pid: PID, at now: Duration) -> [Action] {
        killed.append(KilledWorker(pid: pid, goneBy: now + SupervisorPatience.removal))
        if pid == servedLast { endStatus = 70 }
        return [.kill(pid)]
    }

    /// Ends once no worker is left.
    func exitIfDone() -> [Action] {
        isEnding && leaving.isEmpty && killed.isEmpty ? [.exit(endStatus)] : []
    }
}
