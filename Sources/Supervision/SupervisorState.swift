/// State machine of a supervisor and its workers. No processes, no signals, no clock.
///
/// At most two workers start at the same time: the successor of an upgrade, and the replacement of a worker that
/// crashed meanwhile. The first that is ready serves, and the other is killed. Every wait has an end: ``deadline`` is
/// the time of the next one, and ``timePassed(at:)`` handles it.
public struct SupervisorState: ~Copyable {
    public typealias PID = Int32

    public enum Signal: Sendable, Hashable {
        case terminate
        /// Reload or reopen: a signal for the worker. A worker keeps it blocked until it can handle it, so none is
        /// lost.
        case passOn(Int32)
        /// Start another worker from the program now on disk, and let the current one exit.
        case upgrade
    }

    public enum Action: Sendable, Hashable {
        /// Start a worker at this time. Replaces any earlier action of this kind.
        case start(at: Duration)
        case send(Int32, to: PID)
        /// Tell the worker to leave everything to its successor, and to exit.
        case retire(PID)
        /// Permit the worker to accept connections. Its predecessor has stopped, or has not reported that in time.
        case release(PID, isPredecessorSilent: Bool)
        /// Kill the worker now, even if it is stuck or stopped. From then on it does nothing.
        case kill(PID)
        case tellReady
        case tellStopping
        case report(SupervisorEvent)
        case exit(Int32)
    }

    /// Worker that serves, or is about to. Nil if none is running, and during shutdown.
    var current: SupervisedWorker?
    /// Worker that replaces the current one during an upgrade. Never ready: a ready one becomes the current one. Nil if
    /// no successor is running.
    var successor: SupervisedWorker?
    /// True if the start of a successor was requested and has not happened yet.
    private var awaitsSuccessor = false
    /// True if the current worker was permitted to accept connections.
    private var isReleased = false
    var leaving: [LeavingWorker] = []
    var killed: [KilledWorker] = []
    private var policy = RestartPolicy()
    /// True if an upgrade was requested while a worker was starting.
    private var owesUpgrade = false
    var isEnding = false
    private(set) var wasReady = false
    /// Worker that served when shutdown began. Its exit status becomes `endStatus`, the supervisor's own. Nil before
    /// shutdown, and if there was no worker then.
    private var servedLast: PID?
    var endStatus: Int32 = 0
    /// Number of times that a worker exited unexpectedly and was replaced.
    public private(set) var restarts = 0
    private let terminateSignal: Int32
    /// Limits of a new worker, until it reports its own.
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

    /// Handles a worker that could not be started.
    public mutating func startFailed(at now: Duration) -> [Action] {
        awaitsSuccessor = false
        guard current == nil else { return [.report(.upgradeFailed(cause: nil))] + upgradeIfOwed(at: now) }
        guard case .restart(let pause) = policy.workerEnded(after: .zero, at: now), wasReady else { return [.exit(70)] }
        // Without a pause it would fail again at once.
        let time = max(pause, RestartPolicy.firstPause)
        return [.report(.startRetried(after: time)), .start(at: now + time)]
    }

    /// Records the limits that a worker read from its file, at its start or later.
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

    /// Handles a worker that is ready: it serves, or would if it might accept connections.
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
        // A predecessor that was never permitted to accept has nothing to stop.
        let stopsBy = accepts ? now + SupervisorPatience.handOver : nil
        let endsBy = predecessor.hasEnded(toldAt: now)
        leaving.append(LeavingWorker(pid: predecessor.pid, stopsAcceptingBy: stopsBy, endsBy: endsBy))
        return [.retire(predecessor.pid), .report(.tookOver(successor: pid, from: predecessor.pid))] + serves(at: now)
    }

    /// Actions that follow when the current worker has become ready.
    private mutating func serves(at now: Duration) -> [Action] {
        policy.workerServes()
        defer { wasReady = true }
        return releaseIfFree() + (wasReady ? [] : [.tellReady]) + upgradeIfOwed(at: now)
    }

    /// Permits the current worker to accept, once its predecessors have stopped. Two workers that wait on one socket
    /// would wake each other for nothing.
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

    /// Handles the message of a leaving worker that it accepts no more connections.
    public mutating func stoppedAccepting(_ pid: PID) -> [Action] {
        guard let index = leaving.firstIndex(where: { $0.pid == pid }) else { return [] }
        leaving[index].stopsAcceptingBy = nil
        leaving[index].isSilent = false
        return releaseIfFree()
    }

    /// Handles the exit of a worker.
    ///
    /// - Parameters:
    ///   - how: description for the log.
    ///   - status: exit status. Nil if a signal killed the worker.
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
        // A worker logs the errors of its start itself, and a restart does not help.
        if !wasReady, let status, status != 0 { return [.exit(status)] }
        return replace(worker, how, at: now)
    }

    /// Handles the loss of an upgrade's successor.
    mutating func lost(_ worker: SupervisedWorker, _ how: String, at now: Duration) -> [Action] {
        // Another worker is starting, or is due.
        guard current?.isReady == true else { return [.report(.endedBesideAnother(worker.pid, how: how))] }
        return [.report(.upgradeFailed(cause: how))] + upgradeIfOwed(at: now)
    }

    /// Handles the loss of the current worker. Another is started at once, even if the successor of an upgrade is
    /// starting.
    mutating func replace(_ worker: SupervisedWorker, _ how: String, at now: Duration) -> [Action] {
        // The start that was requested for an upgrade is replaced by this one.
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
        // The successor serves nobody, and would first have to start.
        if let worker = successor { actions += kill(worker.pid, at: now) }
        if let worker = current {
            servedLast = worker.pid
            leaving.append(LeavingWorker(pid: worker.pid, endsBy: worker.hasEnded(toldAt: now)))
            actions.append(.send(terminateSignal, to: worker.pid))
        }
        (current, successor, awaitsSuccessor) = (nil, nil, false)
        return actions + exitIfDone()
    }

    /// True if a start that was requested should still happen.
    public var wantsWorker: Bool { !isEnding && (current == nil || awaitsSuccessor) }

    // MARK: Ends

    mutating func kill(_ pid: PID, at now: Duration) -> [Action] {
        killed.append(KilledWorker(pid: pid, goneBy: now + SupervisorPatience.removal))
        if pid == servedLast { endStatus = 70 }
        return [.kill(pid)]
    }

    /// Exits once no worker is left.
    func exitIfDone() -> [Action] {
        isEnding && leaving.isEmpty && killed.isEmpty ? [.exit(endStatus)] : []
    }
}
