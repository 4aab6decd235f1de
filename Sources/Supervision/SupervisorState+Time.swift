extension SupervisorState {
    /// True if a message of a worker is expected: that it is ready, or has stopped accepting.
    public var isWaiting: Bool {
        current?.isReady == false || successor != nil || leaving.contains { $0.stopsAcceptingBy != nil }
    }

    /// Time at which the next wait expires. Nil if nothing is waited for.
    public var deadline: Duration? {
        var limits = [current?.isReadyBy, successor?.isReadyBy].compactMap(\.self)
        limits += leaving.map(\.endsBy) + leaving.compactMap(\.stopsAcceptingBy)
        if isEnding { limits += killed.map(\.goneBy) }
        return limits.min()
    }

    /// Handles every wait that has expired.
    public mutating func timePassed(at now: Duration) -> [Action] {
        var actions = silence(at: now) + force(at: now)
        if let worker = successor, let limit = worker.isReadyBy, limit <= now {
            successor = nil
            actions += kill(worker.pid, at: now) + lost(worker, Self.late(worker), at: now)
        }
        if let worker = current, let limit = worker.isReadyBy, limit <= now {
            current = nil
            actions += kill(worker.pid, at: now) + replace(worker, Self.late(worker), at: now)
        }
        guard isEnding, !killed.isEmpty else { return actions }
        killed.removeAll { $0.goneBy <= now }
        return actions + exitIfDone()
    }

    private static func late(_ worker: SupervisedWorker) -> String {
        "was not ready after \(Int(worker.limits.start / .milliseconds(1))) ms and was killed"
    }

    /// Stops waiting for workers that do not report that they stopped accepting. Their successor then accepts
    /// connections.
    private mutating func silence(at now: Duration) -> [Action] {
        var actions: [Action] = []
        for index in leaving.indices {
            guard let limit = leaving[index].stopsAcceptingBy, limit <= now else { continue }
            leaving[index].stopsAcceptingBy = nil
            leaving[index].isSilent = true
            actions.append(.report(.silent(leaving[index].pid, after: SupervisorPatience.handOver)))
        }
        return actions + releaseIfFree()
    }

    /// Kills workers that were told to exit and have not done so in time.
    private mutating func force(at now: Duration) -> [Action] {
        let overdue = leaving.filter { $0.endsBy <= now }.map(\.pid)
        leaving.removeAll { $0.endsBy <= now }
        return overdue.flatMap { kill($0, at: now) + [.report(.overdue($0))] } + releaseIfFree()
    }
}
