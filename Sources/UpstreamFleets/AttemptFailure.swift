import ProxySettings

/// Failure of an attempt to have a request answered, as far as it decides about another attempt.
public enum AttemptFailure: Sendable, Hashable {
    /// No connection, so no byte of the request was written.
    case unconnected
    /// The connection closed.
    ///
    /// - Parameters:
    ///   - isReused: whether the connection carried requests before. Its close may then have been under way when this
    ///     request was sent.
    ///   - responseBegan: whether a byte of the response was received.
    case closed(isReused: Bool, responseBegan: Bool)
    /// The upstream reports that it did not process the request (RFC 9113 §8.7).
    case refused
    /// Any other failure, such as a time-out or an invalid response.
    case unanswered
}

extension FleetSettings.Retries {
    /// Returns true if the file allows another attempt after this failure. The cause must be listed, and:
    ///
    /// - Without a connection, no byte of the request was written, so any request may be repeated.
    /// - After a close before any byte of the response, the request must be replayable. The file decides whether only
    ///   reused connections count, or all.
    /// - If the upstream did not process the request, its method does not matter. Everything taken from the client must
    ///   still be held.
    ///
    /// Not checked: the budget.
    ///
    /// - Parameters:
    ///   - isReplayable: whether the method is on the file's list, and the request has no body.
    ///   - isHeld: whether everything that was sent of the request can be sent again.
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
