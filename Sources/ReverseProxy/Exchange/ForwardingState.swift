import HTTPMessages
import RequestAuthorization

/// The state of a permitted request and its response: no bytes, no channel, no clock.
///
/// * A request gets a connection, at once or after a wait for its slot at a target; its head goes first, then its body.
/// * An attempt that fails is followed by another, or by an answer; once the response has begun, the client sees that
///   it is not complete.
/// * A response that switches protocols makes a tunnel, which ends by itself.
/// * The end of the response, or an answer in its place, is the end of the request.
/// * An event that a state does not expect changes nothing, and is told; but a new request always begins, and an answer
///   always ends one.
struct ForwardingState: ~Copyable {
    enum State: Hashable, CaseIterable {
        /// There is no request.
        case idle
        /// Every target has as many requests as it may.
        case queued
        /// An attempt begins; its head is not written.
        case connecting
        /// The head is written, and the body may follow.
        case sending
        /// The response has begun; the body may still follow.
        case answering
        /// Switched to another protocol.
        case tunnel
    }

    enum Action: Hashable {
        case none
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
        /// The event cannot happen in this state.
        case unexpected
    }

    private(set) var state = State.idle
    /// Whether the whole request was received, body included.
    private(set) var requestEnded = false

    /// Whether the client's bytes are the request's body.
    var readsBody: Bool {
        switch state {
        case .connecting, .sending, .answering: !requestEnded
        case .idle, .queued, .tunnel: false
        }
    }

    // MARK: The request

    /// A request begins, whatever there was before.
    mutating func permitted(requestEnded: Bool) -> Action {
        defer { (state, self.requestEnded) = (.connecting, requestEnded) }
        return state == .idle ? .none : .unexpected
    }

    mutating func slotAwaited() -> Action { move(from: .connecting, to: .queued) }

    mutating func slotGiven() -> Action { move(from: .queued, to: .connecting) }

    func slotRefused(_ reason: RejectionReason) -> Action { state == .queued ? .answer(reason) : .unexpected }

    func upstreamConnected() -> Action { state == .connecting ? .sendHead : .unexpected }

    mutating func headSent() -> Action { move(from: .connecting, to: .sending) }

    /// The last part of the body is here, or was.
    mutating func bodyReceived() -> Action {
        guard state == .sending || state == .answering else { return .unexpected }
        requestEnded = true
        return .none
    }

    // MARK: The response

    /// The upstream's final head is received.
    mutating func responseHeadReceived() -> Action { move(from: .sending, to: .answering) }

    /// The response is written to its last byte. Writing may have shown before that the client is gone.
    mutating func responseSent() -> Action { state == .idle ? .none : move(from: .answering, to: .idle, .finish) }

    /// The gateway answers in place of the upstream.
    mutating func answered() -> Action {
        defer { state = .idle }
        return switch state {
        case .queued, .connecting, .sending: .finish
        case .idle, .answering, .tunnel: .unexpected
        }
    }

    mutating func protocolSwitched() -> Action {
        requestEnded ? move(from: .sending, to: .tunnel, .openTunnel) : .unexpected
    }

    /// The tunnel is over. Writing may have shown before that the client is gone.
    mutating func tunnelEnded() -> Action { state == .idle ? .none : move(from: .tunnel, to: .idle, .finish) }

    private mutating func move(from expected: State, to next: State, _ action: Action = .none) -> Action {
        guard state == expected else { return .unexpected }
        state = next
        return action
    }

    // MARK: Ends

    /// The attempt failed.
    ///
    /// - Parameter mayRetry: whether the request can be sent again.
    mutating func upstreamFailed(_ reason: RejectionReason, mayRetry: Bool) -> Action {
        switch state {
        case .connecting, .sending:
            state = .connecting
            return mayRetry ? .retry : .answer(reason)
        case .answering: return .abort
        case .idle, .queued, .tunnel: return .unexpected
        }
    }

    /// The client ended its side.
    ///
    /// - Parameter isEmpty: whether everything that it sent is consumed.
    func inputEnded(isEmpty: Bool) -> Action {
        let isCut = !requestEnded && isEmpty
        return switch state {
        case .connecting, .sending: isCut ? .answer(.message(.badRequest)) : .none
        case .answering: isCut ? .abort : .none
        // Most clients that end their side have gone, and others wait for the slot; one that still listens may try
        // again.
        case .queued: .answer(isCut ? .message(.badRequest) : .gateway(.overloaded))
        case .tunnel: isEmpty ? .halfCloseTunnel : .none
        case .idle: .unexpected
        }
    }

    /// - Parameter upstreamStalls: whether it is the upstream that does not take what the client sent.
    func deadlinePassed(upstreamStalls: Bool) -> Action {
        switch state {
        case .connecting, .sending:
            .answer(requestEnded || upstreamStalls ? .upstream(.timeout) : .message(.requestTimeout))
        case .answering: .abort
        case .tunnel: .close
        case .idle, .queued: .unexpected
        }
    }

    /// The time of a stream is over: its token expired, or its client's own deadline passed.
    ///
    /// - Parameter mayEndEarly: whether the response's framing allows an end before the announced one.
    func streamExpired(_ reason: RejectionReason, mayEndEarly: Bool) -> Action {
        switch state {
        case .queued, .connecting, .sending: .answer(reason)
        case .answering: mayEndEarly ? .endResponse(reason) : .abort
        case .tunnel: .endTunnel(reason)
        case .idle: .unexpected
        }
    }

    /// The client's connection or stream is gone.
    mutating func clientGone() -> Action {
        defer { state = .idle }
        return switch state {
        case .queued, .connecting, .sending, .answering: .cutOff
        case .tunnel: .finish
        case .idle: .unexpected
        }
    }
}
