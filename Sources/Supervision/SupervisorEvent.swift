/// Event about the workers that is logged for the operator.
public enum SupervisorEvent: Sendable, Hashable {
    public typealias PID = SupervisorState.PID

    /// The process of a worker could not be started.
    case workerNotStarted(cause: String)
    /// No worker serves, and another start follows after the pause.
    case startRetried(after: Duration)
    /// An upgrade failed, and the current worker stays. The cause describes how the new worker exited. Nil if it could
    /// not be started.
    case upgradeFailed(cause: String?)
    case tookOver(successor: PID, from: PID)
    /// A starting worker is not needed any more, because another was ready first.
    case outrun(PID, by: PID)
    /// Exit of one of two starting workers, before either was ready.
    case endedBesideAnother(PID, how: String)
    /// A worker exited unexpectedly, and another is started.
    case replaced(PID, how: String, after: Duration)
    /// A worker exited, and none has ever served, so that restarts stop.
    case givenUp(PID, how: String)
    /// A worker that was told to leave does not report that it stopped accepting. Its successor accepts all the same.
    case silent(PID, after: Duration)
    /// A worker that was told to exit did not do so in time, and was killed.
    case overdue(PID)
}
