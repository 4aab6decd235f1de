/// What an operator should know of the workers.
public enum SupervisorEvent: Sendable, Hashable {
    public typealias PID = SupervisorState.PID

    /// A process could not even be started.
    case workerNotStarted(cause: String)
    /// No worker serves; another start is tried.
    case startRetried(after: Duration)
    /// An upgrade failed, and the worker that serves stays; how the new one ended, if it had begun.
    case upgradeFailed(cause: String?)
    case tookOver(successor: PID, from: PID)
    /// A worker ended unexpectedly while its successor was already starting.
    case endedBeforeSuccessor(PID, how: String)
    /// A worker ended unexpectedly; another is started.
    case replaced(PID, how: String, after: Duration)
    /// A worker ended, and none has ever served.
    case givenUp(PID, how: String)
}
