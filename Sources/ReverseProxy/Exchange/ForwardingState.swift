import HTTPMessages
import RequestAuthorization

/// State machine of a permitted request and its response, without bytes, channel or clock.
///
/// * A request gets a connection, at once or after a wait for its slot at a target. Its head is sent first, then its
///   body.
/// * After a failed attempt, another follows, or an answer. Once the response has begun, the client sees that it is
///   incomplete.
/// * A response that switches protocols opens a tunnel, which ends by itself.
/// * The end of the response, or an answer in its place, ends the request.
/// * An event that a state does not expect changes nothing, and is counted. But a new request always begins, and an
///   answer always ends one.
struct ForwardingState: ~Copyable {
    enum State: Hashable, CaseIterable {
        /// No request is in progress.
        case idle
        /// Waits for a slot: every target has as many requests as it may.
        case queued
        /// An attempt has begun. Its head is not written yet.
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
        /// Break off the response that has begun, so that the client sees it is incomplete.
        case abort
        /// End the response before the upstream does, in the regular way of its protocol.
        case endResponse(RejectionReason)
        case openTunnel
        /// Send a close frame to both sides of the tunnel.
        case endTunnel(RejectionReason)
        /// Close our side towards the upstream, which may still send.
        case halfCloseTunnel
        /// Close the client's connection.
        case close
        /// Finish: the answer is complete.
        case finish
        /// Record that the client left before the answer was complete.
        case cutOff
        /// Count an event that cannot happen in this state.
        case unexpected
    }

    private(set) var state = State.idle
    /// True if the whole request was received, including its body.
    private(set) var requestEnded = false

    /// True if the client's bytes belong to the request's body.
    var readsBody: Bool {
        switch state {
        case .connecting, .sending, .answering: !requestEnded
        case .idle, .queued, .tunnel: false
        }
    }

    // MARK: The request

    /// A request begins, whatever the state was before.
    mutating func permitted(requestEnded: Bool) -> Action {
        defer { (state, self.requestEnded) = (.connecting, requestEnded) }
        return state == .idle ? .none : .unexpected
    }

    mutating func slotAwaited() -> Action { move(from: .connecting, to: .queued) }

    mutating func slotGiven() -> Action { move(from: .queued, to: .connecting) }

    func slotRefused(_ reason: RejectionReason) -> Action { state == .queued ? .answer(reason) : .unexpected }

    func upstreamConnected() -> Action { state == .connecting ? .sendHead : .unexpected }

    mutating func headSent() -> Action { move(from: .connecting, to: .sending) }

    /// The last part of the body was received.
    mutating func bodyReceived() -> Action {
        guard state == .sending || state == .answering else { return .unexpected }
        requestEnded = true
        return .none
    }

    // MARK: The response

    /// The upstream's final head was received.
    mutating func responseHeadReceived() -> Action { move(from: .sending, to: .answering) }

    /// The response is written completely. The write may have found before that the client left.
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

    /// The tunnel ended. A write may have found before that the client left.
    mutating func tunnelEnded() -> Action { state == .idle ? .none : move(from: .tunnel, to: .idle, .finish) }

    private mutating func move(from expected: State, to next: State, _ action: Action = .none) -> Action {
        guard state == expected else { return .unexpected }
        state = next
        return action
    }

    // MARK: Ends

    /// The attempt failed.
    ///
    /// - Parameter mayRetry: True if the request can be sent again.
    mutating func upstreamFailed(_ reason: RejectionReason, mayRetry: Bool) -> Action {
        switch state {
        case .connecting, .sending:
            state = .connecting
            return mayRetry ? .retry : .answer(reason)
        case .answering: return .abort
        case .idle, .queued, .tunnel: return .unexpected
        }
    }

    /// The client closed its side.
    ///
    /// - Parameter isEmpty: True if all bytes it sent are consumed.
    func inputEnded(isEmpty: Bool) -> Action {
        let isCut = !requestEnded && isEmpty
        return switch state {
        case .connecting, .sending: isCut ? .answer(.message(.badRequest)) : .none
        case .answering: isCut ? .abort : .none
        // Most clients that close their side have left, and others wait for the slot. A client that still listens may
        // try again.
        case .queued: .answer(isCut ? .message(.badRequest) : .gateway(.overloaded))
        case .tunnel: isEmpty ? .halfCloseTunnel : .none
        case .idle: .unexpected
        }
    }

    /// - Parameter upstreamStalls: True if the upstream does not take the client's bytes.
    func deadlinePassed(upstreamStalls: Bool) -> Action {
        switch state {
        case .connecting, .sending:
            .answer(requestEnded || upstreamStalls ? .upstream(.timeout) : .message(.requestTimeout))
        case .answering: .abort
        case .tunnel: .close
        case .idle, .queued: .unexpected
        }
    }

    /// The stream expired: its token expired, or its client's own deadline passed.
    ///
    /// - Parameter mayEndEarly: True if the response's framing allows it to end early.
    func streamExpired(_ reason: RejectionReason, mayEndEarly: Bool) -> Action {
        switch state {
        case .queued, .connecting, .sending: .answer(reason)
        case .answering: mayEndEarly ? .endResponse(reason) : .abort
        case .tunnel: .endTunnel(reason)
        case .idle: .unexpected
        }
    }

    /// The client's connection or stream closed.
    mutating func clientGone() -> Action {
        defer { state = .idle }
        return switch state {
        case .queued, .connecting, .sending, .answering: .cutOff
        case .tunnel: .finish
        case .idle: .unexpected
        }
    }
}
