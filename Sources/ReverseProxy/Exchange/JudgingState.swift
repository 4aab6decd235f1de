import HTTPMessages
import RequestAuthorization

/// The state of one request from its first byte to its verdict: no bytes, no channel, no clock.
///
/// * A head is judged once it is whole; a message at a door likewise.
/// * A verdict may wait: for an answer of somebody else, or for the request's body. Then it is judged again.
/// * A permitted request is its ``ForwardingState``'s, until that ends.
/// * An answer of the gateway's own ends the request in every state.
/// * An event that a state does not expect changes nothing, and is told; but a new request always begins.
struct JudgingState: ~Copyable {
    enum State: Hashable, CaseIterable {
        /// Between two requests, or before the first.
        case idle
        /// The head has begun.
        case head
        /// A proxy asks by a message, which is being received.
        case question
        /// All that the verdict needs is here.
        case judging
        /// The verdict waits for keys, an issuer's answer, or the store that counts.
        case waiting
        /// The verdict waits for the request's body.
        case body
        /// The request is permitted.
        case forwarded
    }

    enum Action: Hashable {
        case none
        case judge
        case answer(RejectionReason)
        /// The client went away before the answer was complete.
        case cutOff
        /// The event cannot happen in this state.
        case unexpected
    }

    private(set) var state = State.idle
    /// Whether the whole request was received, body included.
    private(set) var requestEnded = false
    /// Whether the last request was answered; still true until the next head begins.
    private(set) var isAnswered = false

    // MARK: The request

    /// A request begins, whatever there was before.
    mutating func headBegan() -> Action {
        defer { (state, requestEnded, isAnswered) = (.head, false, false) }
        return state == .idle ? .none : .unexpected
    }

    /// - Parameter hasBody: whether content is announced.
    mutating func headReceived(hasBody: Bool) -> Action {
        let action = move(from: .head, to: .judging, .judge)
        if action == .judge { requestEnded = !hasBody }
        return action
    }

    /// The content is a message that says what to judge.
    mutating func questionBegan() -> Action { move(from: .judging, to: .question) }

    /// The message is there, and nothing follows it.
    mutating func questionEnded() -> Action { received(in: .question) }

    mutating func waitBegan() -> Action { move(from: .judging, to: .waiting) }

    /// An answer that comes too late is for a request that was answered meanwhile.
    mutating func answerReceived() -> Action {
        state == .idle ? .none : move(from: .waiting, to: .judging, .judge)
    }

    mutating func bodyAwaited() -> Action { move(from: .judging, to: .body) }

    /// The whole body is there.
    mutating func bodyReceived() -> Action { received(in: .body) }

    private mutating func received(in expected: State) -> Action {
        let action = move(from: expected, to: .judging, .judge)
        if action == .judge { requestEnded = true }
        return action
    }

    // MARK: The verdict

    mutating func permitted() -> Action { move(from: .judging, to: .forwarded) }

    /// The forwarding of the request is over.
    mutating func forwardingEnded(requestEnded: Bool) -> Action {
        let action = move(from: .forwarded, to: .idle)
        if action == .none { (self.requestEnded, isAnswered) = (requestEnded, true) }
        return action
    }

    /// The gateway answers the request itself.
    mutating func answered() -> Action {
        guard state != .idle, state != .forwarded else { return .unexpected }
        (state, isAnswered) = (.idle, true)
        return .none
    }

    private mutating func move(from expected: State, to next: State, _ action: Action = .none) -> Action {
        guard state == expected else { return .unexpected }
        state = next
        return action
    }

    // MARK: Ends

    /// The client ended its side.
    ///
    /// - Parameter isEmpty: whether everything that it sent is consumed.
    func inputEnded(isEmpty: Bool) -> Action {
        switch state {
        case .head, .question: .answer(.message(.badRequest))
        case .body where isEmpty: .answer(.message(.badRequest))
        case .idle, .judging, .waiting, .body: .none
        case .forwarded: .unexpected
        }
    }

    func deadlinePassed() -> Action {
        switch state {
        case .head, .question, .body: .answer(.message(.requestTimeout))
        case .idle, .judging, .waiting, .forwarded: .unexpected
        }
    }

    /// The client's own deadline passed, or its token expired.
    func streamExpired(_ reason: RejectionReason) -> Action {
        switch state {
        case .judging, .waiting, .body: .answer(reason)
        // The last stream of a connection is over.
        case .idle, .head: .none
        case .question, .forwarded: .unexpected
        }
    }

    /// The client's connection or stream is gone.
    mutating func clientGone() -> Action {
        switch state {
        case .idle: return .none
        case .forwarded: return .unexpected
        case .head, .question, .judging, .waiting, .body:
            state = .idle
            return .cutOff
        }
    }
}
