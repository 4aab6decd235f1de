/// Worker that serves, or is starting.
struct SupervisedWorker {
    let pid: SupervisorState.PID
    let startedAt: Duration
    var limits: WorkerLimits
    /// Time at which the worker became ready. Nil while it is starting.
    var readyAt: Duration?

    var isReady: Bool { readyAt != nil }

    /// Deadline for the worker to become ready. Nil if it is ready.
    var isReadyBy: Duration? { isReady ? nil : startedAt + limits.start }

    /// Deadline for the worker's exit, if it is told at `now` to exit.
    func hasEnded(toldAt now: Duration) -> Duration {
        // A worker that is still starting handles the signal only after its start.
        now + (isReady ? .zero : limits.start) + limits.end + SupervisorPatience.margin
    }

    /// Time since the worker became ready. Zero if it is still starting.
    func lifetime(at now: Duration) -> Duration { readyAt.map { now - $0 } ?? .zero }
}

/// Worker that was told to exit.
struct LeavingWorker {
    let pid: SupervisorState.PID
    /// Time until which the supervisor waits for the message that the worker accepts no more connections. Nil if it no
    /// longer waits.
    var stopsAcceptingBy: Duration?
    /// True if that message did not come in time.
    var isSilent = false
    let endsBy: Duration
}

/// Worker that was killed, until the system has removed its process.
struct KilledWorker {
    let pid: SupervisorState.PID
    let goneBy: Duration
}
