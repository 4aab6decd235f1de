import ProxySettings
import RequestAuthorization

/// How an attempt at an upstream failed.
enum UpstreamFailure: Hashable {
    /// No connection, so no byte of the request was written.
    case unreachable
    /// No connection in time.
    case connectTimeout
    /// The connection ended before a whole response head.
    case closed(isReused: Bool, responseBegan: Bool)
    /// The upstream says that it did not process the request (RFC 9113 §8.7).
    case notProcessed
    /// What came is not a response, or not one to be relayed.
    case invalidResponse
    /// The connection ended within the body.
    case truncated

    /// What the client is told if the response has not begun.
    var reason: RejectionReason {
        switch self {
        case .unreachable, .closed(_, responseBegan: false): .upstream(.unreachable)
        case .connectTimeout: .upstream(.timeout)
        case .notProcessed: .upstream(.refused)
        case .closed(_, responseBegan: true), .invalidResponse, .truncated: .upstream(.invalid)
        }
    }

    /// Whether the request is tried once more, on a fresh connection.
    ///
    /// Only if no byte of it was written; or if a reused connection closed before any byte of the response and the request
    /// can be repeated: servers close idle connections, and one of ours may have been on the way when they did; or if the upstream
    /// says that it did not process it, whatever its method, and all of it that was taken from the client is still held.
    ///
    /// - Parameters:
    ///   - attempts: how many there were.
    ///   - isReplayable: whether the method is safe to repeat and there is no body.
    ///   - isHeld: whether everything that was sent of it can be sent again.
    func allowsRetry(attempts: Int, isReplayable: Bool, isHeld: Bool) -> Bool {
        guard attempts < FixedLimits.attempts else { return false }
        switch self {
        case .unreachable, .connectTimeout: return true
        case .closed(let isReused, let responseBegan): return isReused && !responseBegan && isReplayable
        case .notProcessed: return isHeld || isReplayable
        case .invalidResponse, .truncated: return false
        }
    }
}
