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
    /// A worker that starts is not needed any more: another was ready first.
    case outrun(PID, by: PID)
    /// One of two workers that started ended before either was ready.
    case endedBesideAnother(PID, how: String)
    /// A worker ended unexpectedly; another is started.
    case replaced(PID, how: String, after: Duration)
    /// A worker ended, and none has ever served.
    case givenUp(PID, how: String)
    /// A worker that leaves does not say that it stopped accepting; its successor begins all the same.
    case silent(PID, after: Duration)
    /// A worker that was told to end did not, and was killed.
    case overdue(PID)
}
