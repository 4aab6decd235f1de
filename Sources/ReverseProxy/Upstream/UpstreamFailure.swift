import RequestAuthorization
import UpstreamFleets

/// How an attempt at an upstream failed.
enum UpstreamFailure: Hashable {
    /// No connection, so no byte of the request was written.
    case unreachable(UnreachableCause)
    /// No connection in time.
    case connectTimeout
    /// No end of the TLS handshake in time.
    case handshakeTimeout
    /// The connection ended before a whole response head.
    case closed(isReused: Bool, responseBegan: Bool)
    /// The upstream says that it did not process the request (RFC 9113 §8.7).
    case notProcessed
    /// What was received is not a response, or not one to be relayed.
    case invalidResponse
    /// The connection ended within the body.
    case truncated

    /// What the client is told if the response has not begun.
    var reason: RejectionReason {
        switch self {
        case .unreachable, .closed(_, responseBegan: false): .upstream(.unreachable)
        case .connectTimeout, .handshakeTimeout: .upstream(.timeout)
        case .notProcessed: .upstream(.refused)
        case .closed(_, responseBegan: true), .invalidResponse, .truncated: .upstream(.invalid)
        }
    }

    /// What it is counted as.
    var outcome: UpstreamOutcome {
        switch self {
        case .unreachable(let cause): cause.outcome
        case .connectTimeout: .connectTimeout
        case .handshakeTimeout: .tlsTimeout
        case .closed: .reset
        case .notProcessed: .notProcessed
        case .invalidResponse: .invalidResponse
        // Its response had begun.
        case .truncated: .reset
        }
    }

    /// What the access log says of it.
    var text: String {
        switch self {
        case .unreachable(let cause): cause.text
        case .connectTimeout: "no connection within connect"
        case .handshakeTimeout: "no end of the TLS handshake within connect"
        case .closed(_, responseBegan: false): "the connection ended before a response"
        case .closed(_, responseBegan: true): "the connection ended within the head of the response"
        case .notProcessed: "the upstream did not process the request"
        case .invalidResponse: "the response is malformed, or cannot be relayed"
        case .truncated: "the connection ended within the body of the response"
        }
    }

    /// What decides whether there is another attempt.
    var attempt: AttemptFailure {
        switch self {
        case .unreachable, .connectTimeout, .handshakeTimeout: .unconnected
        case .closed(let isReused, let responseBegan): .closed(isReused: isReused, responseBegan: responseBegan)
        case .notProcessed: .refused
        case .invalidResponse, .truncated: .unanswered
        }
    }
}
