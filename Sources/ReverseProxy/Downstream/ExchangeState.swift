import HTTPMessages
import RequestAuthorization

/// The state of one request and its response over any HTTP version: no bytes, no channel, no clock.
///
/// Each event returns the one action that the exchange carries out.
struct ExchangeState: ~Copyable {
    enum State: Hashable {
        /// Between two requests, or before the first.
        case idle
        /// The head has begun.
        case head
        /// The head is complete and there is no verdict yet.
        case judging
        /// A proxy asks by a message, which is being received.
        case question
        /// The verdict waits for keys, or for an issuer's answer.
        case waiting
        /// The request is for an upstream whose targets are full: it waits for a place.
        case queued
        /// The request is for an upstream.
        ///
        /// - Parameter headIsSent: whether its head was written, so that the body may follow.
        case forwarding(headIsSent: Bool)
        /// Switched to another protocol.
        case tunnel
    }

    enum Action: Hashable {
        case none
        case judge
        case sendHead
        /// Try another target, or the same one again.
        case retry
        /// Answer in place of the upstream.
        case answer(RejectionReason)
        /// The response has begun: the client must see that it does not end as it should.
        case abort
        /// End the response before the upstream does, in its protocol's own way.
        case endResponse(RejectionReason)
        case openTunnel
        /// Both sides of the tunnel get a close frame.
        case endTunnel(RejectionReason)
        /// The upstream sees the end of the client's side, and may still send.
        case halfCloseTunnel
        /// The client's connection is closed.
        case close
        /// The answer is complete.
        case finish
        /// The client went away before the answer was complete.
        case cutOff
    }

    /// How bytes of the client are interpreted.
    enum Reading: Hashable { case head, question, body, tunnel, held }

    private(set) var state = State.idle
    /// Whether the whole request was received, body included.
    private(set) var requestEnded = false
    /// Whether a final response has begun to go out; still true afterwards, until the next head begins.
    private(set) var responseBegan = false

    var isBusy: Bool { state != .idle }

    var isForwarding: Bool { if case .forwarding = state { true } else { false } }

    var reading: Reading {
        switch state {
        case .idle, .head: .head
        case .question: .question
        case .forwarding where !requestEnded: .body
        case .judging, .waiting, .queued, .forwarding: .held
        case .tunnel: .tunnel
        }
    }

    // MARK: The request

    mutating func headBegan() {
        state = .head
        requestEnded = false
        responseBegan = false
    }

    /// - Parameter hasBody: whether content is announced.
    mutating func headReceived(hasBody: Bool) -> Action {
        guard state == .head else { return .none }
        state = .judging
        requestEnded = !hasBody
        return .judge
    }

    /// The content is a message that says what to judge.
    mutating func questionBegan() {
        if state == .judging { state = .question }
    }

    /// The message is there, and nothing follows it.
    mutating func questionEnded() -> Action {
        guard state == .question else { return .none }
        state = .judging
        requestEnded = true
        return .judge
    }

    mutating func waitBegan() {
        if state == .judging { state = .waiting }
    }

    mutating func answerReceived() -> Action {
        guard state == .waiting else { return .none }
        state = .judging
        return .judge
    }

    mutating func permitted() {
        if state == .judging { state = .forwarding(headIsSent: false) }
    }

    /// No target has a place for it now.
    mutating func placeAwaited() {
        if isForwarding { state = .queued }
    }

    /// It has its place; false if it does not wait any more.
    mutating func placeGiven() -> Bool {
        guard state == .queued else { return false }
        state = .forwarding(headIsSent: false)
        return true
    }

    /// It gets none.
    func placeRefused(_ reason: RejectionReason) -> Action {
        state == .queued ? .answer(reason) : .none
    }

    mutating func upstreamConnected() -> Action {
        guard state == .forwarding(headIsSent: false) else { return .none }
        return .sendHead
    }

    mutating func headSent() {
        if isForwarding { state = .forwarding(headIsSent: true) }
    }

    mutating func bodyReceived() {
        requestEnded = true
    }

    // MARK: The answer

    /// The upstream's final head is received.
    mutating func responseHeadReceived() {
        responseBegan = true
    }

    /// The answer is written to its last byte.
    mutating func answerSent() -> Action {
        guard state != .idle else { return .none }
        state = .idle
        return .finish
    }

    /// The gateway answers the request itself; false if there is none.
    mutating func ownAnswerBegan() -> Bool {
        guard isBusy else { return false }
        state = .idle
        responseBegan = true
        return true
    }

    // MARK: Tunnels

    mutating func protocolSwitched() -> Action {
        guard isForwarding, requestEnded, !responseBegan else { return .none }
        state = .tunnel
        responseBegan = true
        return .openTunnel
    }

    mutating func tunnelEnded() -> Action {
        guard state == .tunnel else { return .none }
        state = .idle
        return .finish
    }

    // MARK: Failures

    /// The upstream failed.
    ///
    /// - Parameter mayRetry: whether the request can be sent again.
    mutating func upstreamFailed(_ reason: RejectionReason, mayRetry: Bool) -> Action {
        guard isForwarding else { return .none }
        state = .forwarding(headIsSent: false)
        guard !responseBegan else { return .abort }
        return mayRetry ? .retry : .answer(reason)
    }

    /// The client ended its side, and everything it sent is consumed.
    func inputEnded(isEmpty: Bool) -> Action {
        switch state {
        case .head, .question: .answer(.message(.badRequest))
        case .forwarding where !requestEnded && isEmpty: responseBegan ? .abort : .answer(.message(.badRequest))
        // Most clients that end their side have gone, and others wait for the place; one that still listens may try
        // again.
        case .queued: .answer(requestEnded || !isEmpty ? .gateway(.overloaded) : .message(.badRequest))
        case .tunnel where isEmpty: .halfCloseTunnel
        case .idle, .judging, .waiting, .forwarding, .tunnel: .none
        }
    }

    /// - Parameter upstreamStalls: whether it is the upstream that does not take what the client sent.
    func deadlinePassed(upstreamStalls: Bool) -> Action {
        switch state {
        case .head, .question: .answer(.message(.requestTimeout))
        case .forwarding where responseBegan: .abort
        case .forwarding where requestEnded || upstreamStalls: .answer(.upstream(.timeout))
        case .forwarding: .answer(.message(.requestTimeout))
        case .tunnel: .close
        case .idle, .judging, .waiting, .queued: .none
        }
    }

    /// The time of a stream is over: its token expired, or its client's own deadline passed.
    ///
    /// - Parameter mayEndEarly: whether the response's framing allows an end before the announced one.
    func streamExpired(_ reason: RejectionReason, mayEndEarly: Bool) -> Action {
        switch state {
        case .tunnel: .endTunnel(reason)
        case .judging, .waiting, .queued: .answer(reason)
        case .forwarding where !responseBegan: .answer(reason)
        case .forwarding: mayEndEarly ? .endResponse(reason) : .abort
        case .idle, .head, .question: .none
        }
    }

    /// The client's connection or stream is gone.
    mutating func clientGone() -> Action {
        defer { state = .idle }
        return switch state {
        case .head, .question, .judging, .waiting, .queued, .forwarding: .cutOff
        case .tunnel: .finish
        case .idle: .none
        }
    }
}
