/// Whom a process follows, under a supervisor that keeps one at work.
public struct Succession: Sendable {
    /// How often a process was replaced that was not told to end.
    public let restarts: Int
    /// Whether the one before is still there, and has the admin address until this one serves.
    public let hasPredecessor: Bool

    public init(restarts: Int, hasPredecessor: Bool) {
        self.restarts = restarts
        self.hasPredecessor = hasPredecessor
    }
}
