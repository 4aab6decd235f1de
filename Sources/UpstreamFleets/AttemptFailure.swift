import ProxySettings

/// How an attempt to have a request answered failed, as far as it decides whether there is another.
public enum AttemptFailure: Sendable, Hashable {
    /// No connection, so no byte of the request was written.
    case unconnected
    /// The connection ended.
    ///
    /// - Parameters:
    ///   - isReused: whether it had carried requests before, so that its end may have been on the way when this one was
    ///     sent.
    ///   - responseBegan: whether a byte of the response was received.
    case closed(isReused: Bool, responseBegan: Bool)
    /// The upstream says that it did not process the request (RFC 9113 §8.7).
    case refused
    /// What else there is: a time-out, a response that is none.
    case unanswered
}

extension FleetSettings.Retries {
    /// Whether the file allows another attempt: only if no byte of the request was written; or if it can be repeated,
    /// and a reused connection, or by the file any, closed before any byte of the response; or if the upstream says
    /// that it did not process it, whatever its method, and all of it that was taken from the client is still held.
    ///
    /// Not checked: the budget.
    ///
    /// - Parameters:
    ///   - isReplayable: whether the method is on the file's list, and there is no body.
    ///   - isHeld: whether everything that was sent of it can be sent again.
    public func allow(_ failure: AttemptFailure, isReplayable: Bool, isHeld: Bool) -> Bool {
        switch failure {
        case .unconnected: causes.contains(.connect)
        case .closed(let isReused, let responseBegan):
            !responseBegan && isReplayable && (isReused && causes.contains(.reusedClosed) || causes.contains(.closed))
        case .refused: causes.contains(.refused) && (isHeld || isReplayable)
        case .unanswered: false
        }
    }
}
