import RequestAuthorization
import UpstreamFleets

/// Failure of one attempt to have a request answered by an upstream.
enum UpstreamFailure: Hashable {
    /// There was no connection, so no byte of the request was written.
    case unreachable(UnreachableCause)
    /// The connection was not made within the time limit.
    case connectTimeout
    /// The TLS handshake did not complete within the time limit.
    case handshakeTimeout
    /// The connection closed before a complete response head.
    case closed(isReused: Bool, responseBegan: Bool)
    /// The upstream reports that it did not process the request (RFC 9113 §8.7).
    case notProcessed
    /// The upstream takes no requests at all, by a limit of 0 concurrent streams (RFC 9113 §6.5.2). It did not process
    /// this one.
    ///
    /// - Parameter isAsked: whether the request had a stream. Otherwise no connection was opened for it, because the
    ///   last ones took no requests.
    case takesNoRequests(isAsked: Bool)
    /// The upstream sent bytes that are no valid response, or a response that must not be relayed.
    case invalidResponse(ResponseFault)
    /// The connection closed within the response body.
    case truncated

    /// Reason for the client's error response, if the upstream's response has not begun.
    var reason: RejectionReason {
        switch self {
        case .unreachable, .closed(_, responseBegan: false): .upstream(.unreachable)
        case .connectTimeout, .handshakeTimeout: .upstream(.timeout)
        case .notProcessed, .takesNoRequests: .upstream(.refused)
        case .closed(_, responseBegan: true), .invalidResponse, .truncated: .upstream(.invalid)
        }
    }

    /// Outcome that metrics count for the failure.
    var outcome: UpstreamOutcome {
        switch self {
        case .unreachable(let cause): cause.outcome
        case .connectTimeout: .connectTimeout
        case .handshakeTimeout: .tlsTimeout
        case .closed: .reset
        case .notProcessed, .takesNoRequests: .notProcessed
        case .invalidResponse: .invalidResponse
        // The response had begun.
        case .truncated: .reset
        }
    }

    /// Text of the failure in the access log.
    var text: String {
        switch self {
        case .unreachable(let cause): cause.text
        case .connectTimeout: "no connection within `connect`"
        case .handshakeTimeout: "TLS handshake not complete within `connect`"
        case .closed(_, responseBegan: false): "the connection ended before a response"
        case .closed(_, responseBegan: true): "the connection ended before the final head of the response was complete"
        case .notProcessed: "the upstream did not process the request"
        case .takesNoRequests(isAsked: true): "the upstream takes no requests: its SETTINGS_MAX_CONCURRENT_STREAMS is 0"
        case .takesNoRequests(isAsked: false):
            "no new connection for now: the last ones took no requests (SETTINGS_MAX_CONCURRENT_STREAMS 0)"
        case .invalidResponse(let fault): "the response is not relayed: \(fault.text)"
        case .truncated: "the connection ended within the body of the response"
        }
    }

    /// Kind of failure that decides whether the request is retried.
    var attempt: AttemptFailure {
        switch self {
        case .unreachable, .connectTimeout, .handshakeTimeout, .takesNoRequests(isAsked: false): .unconnected
        case .closed(let isReused, let responseBegan): .closed(isReused: isReused, responseBegan: responseBegan)
        case .notProcessed, .takesNoRequests(isAsked: true): .refused
        case .invalidResponse, .truncated: .unanswered
        }
    }

    /// Failure to record for the target in its fleet. Nil if it says nothing about the target.
    ///
    /// A stream limit that refuses one request is no failure of the target. A limit of 0 is.
    var fleetFailure: FleetFailure? {
        if case .takesNoRequests = self { .takesNoRequests } else { outcome.fleetFailure }
    }
}
