import UpstreamFleets

/// Outcome of one attempt to get an answer from a target.
enum UpstreamOutcome: Int, CaseIterable, Sendable {
    // A response with a status of the class. Same order as in `StatusClass`, without `none`.
    case informational
    case successful
    case redirection
    case clientError
    case serverError
    // No response.
    case connectRefused
    case connectTimeout
    case connectFailed
    case nameNotFound
    case certificate
    case tlsFailed
    case tlsTimeout
    case reset
    case notProcessed
    case invalidResponse
    case responseTimeout
    case abandoned

    /// Nil if the status is in no class, which no response can have.
    init?(status: Int) {
        self.init(rawValue: StatusClass(status).rawValue - 1)
    }

    /// Label in metrics.
    var label: String {
        switch self {
        case .informational, .successful, .redirection, .clientError, .serverError: "\(rawValue + 1)xx"
        case .connectRefused: "connect_refused"
        case .connectTimeout: "connect_timeout"
        case .connectFailed: "connect_failed"
        case .nameNotFound: "name_not_found"
        case .certificate: "certificate"
        case .tlsFailed: "tls_failed"
        case .tlsTimeout: "tls_timeout"
        case .reset: "reset"
        case .notProcessed: "not_processed"
        case .invalidResponse: "invalid_response"
        case .responseTimeout: "response_timeout"
        case .abandoned: "abandoned"
        }
    }

    /// Description in the reference documentation.
    var meaning: String {
        switch self {
        case .informational, .successful, .redirection, .clientError, .serverError:
            "The target answered with a status of this class."
        case .connectRefused: "The target refused the connection."
        case .connectTimeout: "No connection within `connect`, including the name lookup."
        case .connectFailed: "There was no connection for another reason."
        case .nameNotFound: "The target's name has no address."
        case .certificate: "The target's certificate is not trusted or not valid now, or is for another name."
        case .tlsFailed:
            "The TLS handshake failed for another reason, or the target does not speak the configured protocol."
        case .tlsTimeout: "The TLS handshake did not end within `connect`."
        case .reset: "The connection closed before the response head was complete."
        case .notProcessed:
            "The target did not process the request: it said so, or its limit of concurrent streams allowed no more."
        case .invalidResponse: "What the target sent is not a valid response."
        case .responseTimeout:
            "There was no response within `first_byte`, or the target did not take the request's body."
        case .abandoned:
            "The attempt was abandoned: the client left, its request was invalid, or its deadline passed."
        }
    }
}

extension UpstreamOutcome {
    /// Failure that counts against the target. Nil if the outcome is not the target's fault, or its status decides.
    var fleetFailure: FleetFailure? {
        switch self {
        case .connectRefused, .connectTimeout, .connectFailed, .nameNotFound, .certificate, .tlsFailed, .tlsTimeout:
            .connect
        case .reset, .invalidResponse: .reset
        case .responseTimeout: .timeout
        case .informational, .successful, .redirection, .clientError, .serverError, .notProcessed, .abandoned: nil
        }
    }
}
