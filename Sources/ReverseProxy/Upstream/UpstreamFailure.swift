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
    /// It takes no requests at all, by a limit of 0 concurrent streams (RFC 9113 §6.5.2), and did not process this one.
    ///
    /// - Parameter isAsked: whether the request had a stream; otherwise there was no connection for it, because the
    ///   last ones were of no use.
    case takesNoRequests(isAsked: Bool)
    /// What was received is not a response, or not one to be relayed.
    case invalidResponse(ResponseFault)
    /// The connection ended within the body.
    case truncated

    /// What the client is told if the response has not begun.
    var reason: RejectionReason {
        switch self {
        case .unreachable, .closed(_, responseBegan: false): .upstream(.unreachable)
        case .connectTimeout, .handshakeTimeout: .upstream(.timeout)
        case .notProcessed, .takesNoRequests: .upstream(.refused)
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
        case .notProcessed, .takesNoRequests: .notProcessed
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
        case .closed(_, responseBegan: true): "the connection ended before the final head of the response was complete"
        case .notProcessed: "the upstream did not process the request"
        case .takesNoRequests(isAsked: true): "the upstream takes no requests: its SETTINGS_MAX_CONCURRENT_STREAMS is 0"
        case .takesNoRequests(isAsked: false):
            "no connection is made now: on the last ones the upstream took no requests, by a SETTINGS_MAX_CONCURRENT_STREAMS of 0"
        case .invalidResponse(let fault): "the response is not relayed: \(fault.text)"
        case .truncated: "the connection ended within the body of the response"
        }
    }

    /// What decides whether there is another attempt.
    var attempt: AttemptFailure {
        switch self {
        case .unreachable, .connectTimeout, .handshakeTimeout, .takesNoRequests(isAsked: false): .unconnected
        case .closed(let isReused, let responseBegan): .closed(isReused: isReused, responseBegan: responseBegan)
        case .notProcessed, .takesNoRequests(isAsked: true): .refused
        case .invalidResponse, .truncated: .unanswered
        }
    }

    /// What it says about the target; nil: nothing.
    ///
    /// A limit that left no room for one request is no failure, but one that leaves none for any is.
    var fleetFailure: FleetFailure? {
        if case .takesNoRequests = self { .takesNoRequests } else { outcome.fleetFailure }
    }
}
