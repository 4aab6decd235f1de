/// The predecessor of a process that a supervisor started.
public struct Succession: Sendable {
    /// Number of processes that were replaced although they were not told to exit.
    public let restarts: Int
    /// Whether the predecessor still runs, and holds the admin address until this process serves.
    public let hasPredecessor: Bool

    public init(restarts: Int, hasPredecessor: Bool) {
        self.restarts = restarts
        self.hasPredecessor = hasPredecessor
    }
}
