/// Data about the predecessors of a process that a supervisor started.
public struct Succession: Sendable {
    /// Number of processes that exited unexpectedly and were replaced.
    public let restarts: Int
    /// Whether the predecessor still runs. It holds the admin address until this process serves.
    public let hasPredecessor: Bool

    public init(restarts: Int, hasPredecessor: Bool) {
        self.restarts = restarts
        self.hasPredecessor = hasPredecessor
    }
}
