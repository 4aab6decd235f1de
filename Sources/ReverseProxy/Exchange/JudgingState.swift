import HTTPMessages
import RequestAuthorization

/// State machine of one request from its first byte to its verdict, without bytes, channel or clock.
///
/// * A head is judged once it is complete, and so is a message at a door.
/// * A verdict may wait for an answer from another service, or for the request's body. The request is then judged
///   again.
/// * A permitted request has its own ``ForwardingState`` until forwarding ends.
/// * An answer of the gateway's own ends the request in every state.
/// * An event that a state does not expect changes nothing, and is counted. But a new request always begins.
struct JudgingState: ~Copyable {
    enum State: Hashable, CaseIterable {
        /// Between two requests, or before the first.
        case idle
        /// The head has begun.
        case head
        /// A proxy's message at a door, which describes the request to judge, is being received.
        case question
        /// Everything that the verdict needs was received.
        case judging
        /// The verdict waits for keys, an introspection answer, or the quota store.
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
        /// Record that the client left before the answer was complete.
        case cutOff
        /// Count an event that cannot happen in this state.
        case unexpected
    }

    private(set) var state = State.idle
    /// True if the whole request was received, including its body.
    private(set) var requestEnded = false
    /// True if the last request was answered. Stays true until the next head begins.
    private(set) var isAnswered = false

    // MARK: The request

    /// A request begins, whatever the state was before.
    mutating func headBegan() -> Action {
        defer { (state, requestEnded, isAnswered) = (.head, false, false) }
        return state == .idle ? .none : .unexpected
    }

    /// - Parameter hasBody: True if content is announced.
    mutating func headReceived(hasBody: Bool) -> Action {
        let action = move(from: .head, to: .judging, .judge)
        if action == .judge { requestEnded = !hasBody }
        return action
    }

    /// The content is a message that describes the request to judge.
    mutating func questionBegan() -> Action { move(from: .judging, to: .question) }

    /// The message was received completely.
    mutating func questionEnded() -> Action { received(in: .question) }

    mutating func waitBegan() -> Action { move(from: .judging, to: .waiting) }

    /// The awaited answer arrived. In `idle` the request was answered meanwhile, so it is ignored.
    mutating func answerReceived() -> Action {
        state == .idle ? .none : move(from: .waiting, to: .judging, .judge)
    }

    mutating func bodyAwaited() -> Action { move(from: .judging, to: .body) }

    /// The whole body was received.
    mutating func bodyReceived() -> Action { received(in: .body) }

    private mutating func received(in expected: State) -> Action {
        let action = move(from: expected, to: .judging, .judge)
        if action == .judge { requestEnded = true }
        return action
    }

    // MARK: The verdict

    mutating func permitted() -> Action { move(from: .judging, to: .forwarded) }

    /// Forwarding of the request ended.
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

    /// The client closed its side.
    ///
    /// - Parameter isEmpty: True if all bytes it sent are consumed.
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
        // The stream belonged to the connection's last request, which has ended.
        case .idle, .head: .none
        case .question, .forwarded: .unexpected
        }
    }

    /// The client's connection or stream closed.
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
