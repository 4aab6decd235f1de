import HTTP2Sessions
import ProxySettings

/// The state of one stream to an upstream. The session has checked the order of its frames, and the length of its
/// content.
///
/// Each event returns the one action that the stream carries out.
struct UpstreamStreamState: ~Copyable {
    enum State: Hashable {
        /// Nothing is asked yet.
        case idle
        /// A request is being sent or was sent, and the final response head was not received.
        case head(requestIsSent: Bool, interimResponses: Int)
        /// The response's content is being received.
        case body(requestIsSent: Bool)
        /// The response was received to its end.
        case received
        case closed
    }

    enum Action: Hashable {
        case none
        case relayInterim
        case relayFinal
        case relayContent
        /// The response is complete.
        ///
        /// - Parameter isCut: whether the rest of the request is not needed any more.
        case complete(isCut: Bool)
        /// Reset the stream; there is no lessee to tell.
        case reset
        /// Reset the stream and tell the lessee.
        case refuse(UpstreamFailure)
        /// Tell the lessee.
        case fail(UpstreamFailure)
    }

    private(set) var state = State.idle
    /// Whether its connection carried others before: what befalls it may have been meant for those.
    let isShared: Bool

    init(isShared: Bool = false) {
        self.isShared = isShared
    }

    // MARK: The request

    /// The head of the request is to be sent; false if it was, or cannot be any more.
    mutating func begin() -> Bool {
        guard state == .idle else { return false }
        state = .head(requestIsSent: false, interimResponses: 0)
        return true
    }

    /// The request is sent to its last byte.
    mutating func requestSent() {
        switch state {
        case .head(_, let interimResponses): state = .head(requestIsSent: true, interimResponses: interimResponses)
        case .body: state = .body(requestIsSent: true)
        case .idle, .received, .closed: break
        }
    }

    /// The request could not be begun; nothing of it was sent.
    mutating func refusedBeforehand() -> Action {
        state = .closed
        return .fail(.notProcessed)
    }

    /// The lessee gives the stream up. Where nothing was asked there is nothing to cancel.
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

    /// The upstream has sent all of the response.
    mutating func responseReceived() -> Action {
        guard case .body(let requestIsSent) = state else { return .none }
        state = .received
        return .complete(isCut: !requestIsSent)
    }

    /// What was received is not a response, or not one to be relayed.
    mutating func malformed(_ fault: ResponseFault) -> Action {
        switch state {
        case .head, .body:
            state = .closed
            return .refuse(.invalidResponse(fault))
        case .idle, .received, .closed: return .none
        }
    }

    // MARK: Ends

    /// The stream is over.
    ///
    /// - Parameter takesNoRequests: whether the session takes none any more.
    mutating func ended(_ end: StreamEnd, takesNoRequests: Bool = false) -> Action {
        switch (end, state) {
        // One that has begun to answer has processed it.
        case (.notProcessed, .head(_, interimResponses: 0)), (.notSent, .head(_, interimResponses: 0)):
            state = .closed
            return .fail(takesNoRequests ? .takesNoRequests(isAsked: true) : .notProcessed)
        case (.malformed, .head), (.malformed, .body):
            state = .closed
            return .fail(.invalidResponse(.frames))
        default: return connectionLost()
        }
    }

    /// The connection is over.
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
