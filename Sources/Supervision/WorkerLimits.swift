/// Times that a worker may take to start and to exit, from its configuration file.
public struct WorkerLimits: Sendable, Hashable {
    /// Time from its start until it is ready.
    public let start: Duration
    /// Time from the signal to exit until it has exited.
    public let end: Duration

    public init(start: Duration, end: Duration) {
        self.start = start
        self.end = end
    }
}

/// Waiting times of the supervisor that no key of the file sets.
enum SupervisorPatience {
    /// Time for a leaving worker to report that it accepts no more connections.
    static let handOver: Duration = .seconds(5)
    /// Time for a worker to exit beyond the limit of its file, for the work after the last request.
    static let margin: Duration = .seconds(10)
    /// Time for the system to remove a killed process. The process does nothing any more, so only the supervisor's own
    /// exit waits for it.
    static let removal: Duration = .seconds(5)
}
