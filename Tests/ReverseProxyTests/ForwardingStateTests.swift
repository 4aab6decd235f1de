import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@testable import ReverseProxy

/// Table tests: every event in every state, with the resulting action and state.
struct ForwardingStateTests {
    private typealias State = ForwardingState.State
    private typealias Action = ForwardingState.Action

    /// A request brought into a state by the events that the gateway sends.
    ///
    /// - Parameter hasEnded: whether the whole request was received; always true in a tunnel.
    private func request(in state: State, hasEnded: Bool) -> ForwardingState {
        var request = ForwardingState()
        guard state != .idle else { return request }
        expect(request.permitted(requestEnded: hasEnded || state == .tunnel) == .none)
        switch state {
        case .idle, .connecting: return request
        case .queued: expect(request.slotAwaited() == .none)
        case .sending, .answering, .tunnel: expect(request.headSent() == .none)
        }
        if state == .answering { expect(request.responseHeadReceived() == .none) }
        if state == .tunnel { expect(request.protocolSwitched() == .openTunnel) }
        return request
    }

    /// Compares the result of an event in each state with a table. An event in a state outside the table is unexpected
    /// and changes nothing.
    ///
    /// - Parameter hasEnded: whether the whole request was received. Nil if that makes no difference.
    private func check(
        _ table: [State: (Action, State)], hasEnded: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation,
        _ event: (inout ForwardingState) -> Action
    ) {
        for state in State.allCases {
            for ended in hasEnded.map({ [$0] }) ?? [false, true] {
                var request = request(in: state, hasEnded: ended)
                let before = request.requestEnded
                let action = event(&request)
                let expected = table[state] ?? (.unexpected, state)
                #expect(action == expected.0, "\(state) \(ended)", sourceLocation: sourceLocation)
                #expect(request.state == expected.1, "\(state) \(ended)", sourceLocation: sourceLocation)
                guard table[state] == nil else { continue }
                #expect(request.requestEnded == before, "\(state) \(ended)", sourceLocation: sourceLocation)
            }
        }
    }

    private func table(_ states: [State], _ action: Action) -> [State: (Action, State)] {
        Dictionary(uniqueKeysWithValues: states.map { ($0, (action, $0)) })
    }

    // MARK: The request

    @Test func `a permitted request begins an attempt`() {
        for requestEnded in [false, true] {
            var begun = Dictionary(
                uniqueKeysWithValues: State.allCases.map { ($0, (Action.unexpected, State.connecting)) })
            begun[.idle] = (.none, .connecting)
            check(begun) { $0.permitted(requestEnded: requestEnded) }
            var request = ForwardingState()
            _ = request.permitted(requestEnded: requestEnded)
            expect(request.requestEnded == requestEnded && request.readsBody == !requestEnded)
        }
    }

    @Test func `a request without a slot waits, and then is given a slot once or is refused`() {
        check([.connecting: (.none, .queued)]) { $0.slotAwaited() }
        check([.queued: (.none, .connecting)]) { $0.slotGiven() }
        check([.queued: (.answer(.gateway(.overloaded)), .queued)]) { $0.slotRefused(.gateway(.overloaded)) }
    }

    @Test func `the head is sent once the upstream is connected, and then the body`() {
        check([.connecting: (.sendHead, .connecting)]) { $0.upstreamConnected() }
        check([.connecting: (.none, .sending)]) { $0.headSent() }
        check(table([.sending, .answering], .none)) { $0.bodyReceived() }
        for state in [State.sending, .answering] {
            var request = request(in: state, hasEnded: false)
            expect(request.readsBody)
            _ = request.bodyReceived()
            expect(request.requestEnded && !request.readsBody)
        }
    }

    @Test func `the body is read during an attempt, and not while the request waits for a slot`() {
        for state in State.allCases {
            #expect(
                request(in: state, hasEnded: false).readsBody == [.connecting, .sending, .answering].contains(state),
                "\(state)")
            #expect(!request(in: state, hasEnded: true).readsBody || state == .idle, "\(state)")
        }
    }

    // MARK: The response

    @Test func `a response may begin once the request head is sent, and its end completes the request`() {
        check([.sending: (.none, .answering)]) { $0.responseHeadReceived() }
        check([.answering: (.finish, .idle), .idle: (.none, .idle)]) { $0.responseSent() }
    }

    @Test func `an answer of the gateway completes the request if no response has begun`() {
        var answered = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, (Action.unexpected, State.idle)) })
        for state in [State.queued, .connecting, .sending] { answered[state] = (.finish, .idle) }
        check(answered) { $0.answered() }
    }

    @Test func `only a complete request switches protocols, and the end of the tunnel completes it`() {
        check([.sending: (.openTunnel, .tunnel)], hasEnded: true) { $0.protocolSwitched() }
        check([:], hasEnded: false) { $0.protocolSwitched() }
        check([.tunnel: (.finish, .idle), .idle: (.none, .idle)]) { $0.tunnelEnded() }
    }

    // MARK: Failures

    @Test(arguments: [false, true])
    func `a failed attempt is retried or answered, and a response that has begun is aborted`(
        mayRetry: Bool
    ) {
        let action = mayRetry ? Action.retry : .answer(.upstream(.invalid))
        check([
            .connecting: (action, .connecting), .sending: (action, .connecting), .answering: (.abort, .answering),
        ]) { $0.upstreamFailed(.upstream(.invalid), mayRetry: mayRetry) }
    }

    @Test func `a client that half-closes within its body gets 400, or an aborted answer if one has begun`() {
        let (bad, full) = (Action.answer(.message(.badRequest)), Action.answer(.gateway(.overloaded)))
        let calm: [State: (Action, State)] = [
            .queued: (full, .queued), .connecting: (.none, .connecting), .sending: (.none, .sending),
            .answering: (.none, .answering),
        ]
        check(calm.merging([.tunnel: (.none, .tunnel)]) { $1 }) { $0.inputEnded(isEmpty: false) }
        check(calm.merging([.tunnel: (.halfCloseTunnel, .tunnel)]) { $1 }, hasEnded: true) {
            $0.inputEnded(isEmpty: true)
        }
        check(
            [
                .queued: (bad, .queued), .connecting: (bad, .connecting), .sending: (bad, .sending),
                .answering: (.abort, .answering), .tunnel: (.halfCloseTunnel, .tunnel),
            ], hasEnded: false
        ) { $0.inputEnded(isEmpty: true) }
    }

    @Test func `a missed deadline is 408 if the client is late, and 504 if the upstream is`() {
        let others: [State: (Action, State)] = [.answering: (.abort, .answering), .tunnel: (.close, .tunnel)]
        for hasEnded in [false, true] {
            for stalls in [false, true] {
                let late = Action.answer(hasEnded || stalls ? .upstream(.timeout) : .message(.requestTimeout))
                check(
                    others.merging([.connecting: (late, .connecting), .sending: (late, .sending)]) { $1 },
                    hasEnded: hasEnded
                ) { $0.deadlinePassed(upstreamStalls: stalls) }
            }
        }
    }

    @Test(arguments: [false, true])
    func `an expired stream ends the way its protocol ends`(mayEndEarly: Bool) {
        let reason = RejectionReason.token(.expired)
        var expected = table([.queued, .connecting, .sending], .answer(reason))
        expected[.answering] = (mayEndEarly ? .endResponse(reason) : .abort, .answering)
        expected[.tunnel] = (.endTunnel(reason), .tunnel)
        check(expected) { $0.streamExpired(reason, mayEndEarly: mayEndEarly) }
    }

    @Test func `a client that disconnects cancels its request or ends its tunnel`() {
        let states: [State] = [.queued, .connecting, .sending, .answering]
        var expected = Dictionary(uniqueKeysWithValues: states.map { ($0, (Action.cutOff, State.idle)) })
        expected[.tunnel] = (.finish, .idle)
        check(expected) { $0.clientGone() }
    }
}
