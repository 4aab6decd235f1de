/// The predecessor of a process that a supervisor started.
public struct Succession: Sendable {
    /// How often a process was replaced that was not told to end.
    public let restarts: Int
    /// Whether the predecessor still runs, and holds the admin address until this process serves.
    public let hasPredecessor: Bool

    public init(restarts: Int, hasPredecessor: Bool) {
        self.restarts = restarts
        self.hasPredecessor = hasPredecessor
    }
}
