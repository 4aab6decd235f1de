/// A worker that serves, or is about to.
struct SupervisedWorker {
    let pid: SupervisorState.PID
    let startedAt: Duration
    var limits: WorkerLimits
    /// nil: it is still starting.
    var readyAt: Duration?

    var isReady: Bool { readyAt != nil }

    /// When it is ready at the latest; nil: it is.
    var isReadyBy: Duration? { isReady ? nil : startedAt + limits.start }

    /// When it has ended at the latest, told at this time.
    func hasEnded(toldAt now: Duration) -> Duration {
        // One that is starting hears of it once it has started.
        now + (isReady ? .zero : limits.start) + limits.end + SupervisorPatience.margin
    }

    /// How long it has worked: the time of its start is none.
    func lifetime(at now: Duration) -> Duration { readyAt.map { now - $0 } ?? .zero }
}

/// A worker that was told to end.
struct LeavingWorker {
    let pid: SupervisorState.PID
    /// Until when its word is waited for that it takes no more connections; nil: not any more.
    var stopsAcceptingBy: Duration?
    /// Whether that word did not come in time.
    var isSilent = false
    let endsBy: Duration
}

/// A worker that was killed, and is there until the system has taken it away.
struct KilledWorker {
    let pid: SupervisorState.PID
    let goneBy: Duration
}
