import HTTP2Sessions
import ProxySettings

/// State machine of one stream to an upstream. The session has already checked the order of frames and the length of
/// the content.
///
/// Each event returns the one action that the stream must execute.
struct UpstreamStreamState: ~Copyable {
    enum State: Hashable {
        /// No request was sent yet.
        case idle
        /// A request is being sent or was sent. The final response head was not received yet.
        case head(requestIsSent: Bool, interimResponses: Int)
        /// The response's content is being received.
        case body(requestIsSent: Bool)
        /// The response was received completely.
        case received
        case closed
    }

    enum Action: Hashable {
        case none
        case relayInterim
        case relayFinal
        case relayContent
        /// Finish the response.
        ///
        /// - Parameter isCut: whether the request was not sent completely. Its rest is not needed any more.
        case complete(isCut: Bool)
        /// Reset the stream. There is no lessee to notify.
        case reset
        /// Reset the stream, and report the failure to the lessee.
        case refuse(UpstreamFailure)
        /// Report the failure to the lessee.
        case fail(UpstreamFailure)
    }

    private(set) var state = State.idle
    /// True if the connection carried other requests before. Its end may then be unrelated to this request.
    let isShared: Bool

    init(isShared: Bool = false) {
        self.isShared = isShared
    }

    // MARK: The request

    /// Starts the request. Returns false if its head was already sent, or cannot be sent any more.
    mutating func begin() -> Bool {
        guard state == .idle else { return false }
        state = .head(requestIsSent: false, interimResponses: 0)
        return true
    }

    /// Called when the last byte of the request was sent.
    mutating func requestSent() {
        switch state {
        case .head(_, let interimResponses): state = .head(requestIsSent: true, interimResponses: interimResponses)
        case .body: state = .body(requestIsSent: true)
        case .idle, .received, .closed: break
        }
    }

    /// Fails a request that could not begin. No byte of it was sent.
    mutating func refusedBeforehand() -> Action {
        state = .closed
        return .fail(.notProcessed)
    }

    /// Handles a lessee that gives up. If no request was sent, there is nothing to cancel.
    mutating func abandoned() -> Action {
        defer { state = .closed }
        return switch state {
        case .head, .body: .reset
        case .idle, .received, .closed: .none
        }
    }

    // MARK: The response

    mutating func interimHeadReceived() -> Action {
        guard case .head(let requestIsSent, let interimResponses) = state else { return .none }
        guard interimResponses < FixedLimits.interimResponses else { return malformed(.interimResponses) }
        state = .head(requestIsSent: requestIsSent, interimResponses: interimResponses + 1)
        return .relayInterim
    }

    mutating func finalHeadReceived() -> Action {
        guard case .head(let requestIsSent, _) = state else { return .none }
        state = .body(requestIsSent: requestIsSent)
        return .relayFinal
    }

    func contentReceived() -> Action {
        if case .body = state { .relayContent } else { .none }
    }

    /// Handles the end of the response.
    mutating func responseReceived() -> Action {
        guard case .body(let requestIsSent) = state else { return .none }
        state = .received
        return .complete(isCut: !requestIsSent)
    }

    /// Rejects bytes that are no valid response, or a response that must not be relayed.
    mutating func malformed(_ fault: ResponseFault) -> Action {
        switch state {
        case .head, .body:
            state = .closed
            return .refuse(.invalidResponse(fault))
        case .idle, .received, .closed: return .none
        }
    }

    // MARK: Ends

    /// Handles the end of the stream.
    ///
    /// - Parameter takesNoRequests: whether the upstream takes no more requests on this session.
    mutating func ended(_ end: StreamEnd, takesNoRequests: Bool = false) -> Action {
        switch (end, state) {
        // An upstream that has begun to answer has processed the request.
        case (.notProcessed, .head(_, interimResponses: 0)), (.notSent, .head(_, interimResponses: 0)):
            state = .closed
            return .fail(takesNoRequests ? .takesNoRequests(isAsked: true) : .notProcessed)
        case (.malformed, .head), (.malformed, .body):
            state = .closed
            return .fail(.invalidResponse(.frames))
        default: return connectionLost()
        }
    }

    /// Handles the loss of the connection.
    mutating func connectionLost() -> Action {
        switch state {
        case .head(_, let interimResponses):
            state = .closed
            return .fail(.closed(isReused: isShared, responseBegan: interimResponses > 0))
        case .body:
            state = .closed
            return .fail(.truncated)
        case .idle:
            state = .closed
            return .none
        case .received, .closed: return .none
        }
    }
}
