/// How long a worker may take to begin and to end, as its file says.
public struct WorkerLimits: Sendable, Hashable {
    /// From its start until it is ready.
    public let start: Duration
    /// From the signal to end until it has ended.
    public let end: Duration

    public init(start: Duration, end: Duration) {
        self.start = start
        self.end = end
    }
}

/// How long the supervisor waits where no key says so.
enum SupervisorPatience {
    /// For a worker that leaves to say that it takes no more connections.
    static let handOver: Duration = .seconds(5)
    /// Beyond what a worker's file gives it to end: for what comes after the last request.
    static let margin: Duration = .seconds(10)
    /// For the system to take away a process that was killed. It does nothing any more, so only the supervisor's own
    /// end waits for that.
    static let removal: Duration = .seconds(5)
}
