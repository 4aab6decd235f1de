import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@testable import ReverseProxy

/// Every event in every state, each with the action and the state that follow.
struct ForwardingStateTests {
    private typealias State = ForwardingState.State
    private typealias Action = ForwardingState.Action

    /// A request in a state that was brought about as the gateway does.
    ///
    /// - Parameter hasEnded: whether the whole request was received; always in a tunnel.
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

    /// Compares what an event leads to with a table. In a state that the table leaves out the event is not expected, and
    /// changes nothing.
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

    @Test func `a request that has no slot waits for one, gets it once, or none`() {
        check([.connecting: (.none, .queued)]) { $0.slotAwaited() }
        check([.queued: (.none, .connecting)]) { $0.slotGiven() }
        check([.queued: (.answer(.gateway(.overloaded)), .queued)]) { $0.slotRefused(.gateway(.overloaded)) }
    }

    @Test func `the head is sent once there is a connection, and then the body`() {
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

    @Test func `the body is read while an attempt is under way, and not while the request waits`() {
        for state in State.allCases {
            #expect(
                request(in: state, hasEnded: false).readsBody == [.connecting, .sending, .answering].contains(state),
                "\(state)")
            #expect(!request(in: state, hasEnded: true).readsBody || state == .idle, "\(state)")
        }
    }

    // MARK: The response

    @Test func `a response begins behind the head, and its end is that of the request`() {
        check([.sending: (.none, .answering)]) { $0.responseHeadReceived() }
        check([.answering: (.finish, .idle), .idle: (.none, .idle)]) { $0.responseSent() }
    }

    @Test func `an answer in place of the upstream's ends the request before there is a response`() {
        var answered = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, (Action.unexpected, State.idle)) })
        for state in [State.queued, .connecting, .sending] { answered[state] = (.finish, .idle) }
        check(answered) { $0.answered() }
    }

    @Test func `only a whole request switches protocols, and the tunnel's end is that of the request`() {
        check([.sending: (.openTunnel, .tunnel)], hasEnded: true) { $0.protocolSwitched() }
        check([:], hasEnded: false) { $0.protocolSwitched() }
        check([.tunnel: (.finish, .idle), .idle: (.none, .idle)]) { $0.tunnelEnded() }
    }

    // MARK: Failures

    @Test(arguments: [false, true])
    func `an attempt that fails is followed by another or by an answer, and a response does not end as it should`(
        mayRetry: Bool
    ) {
        let action = mayRetry ? Action.retry : .answer(.upstream(.invalid))
        check([
            .connecting: (action, .connecting), .sending: (action, .connecting), .answering: (.abort, .answering),
        ]) { $0.upstreamFailed(.upstream(.invalid), mayRetry: mayRetry) }
    }

    @Test func `a client that ends its side within its body is told so, or sees that the answer is not complete`() {
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

    @Test func `who is late depends on who has something to send`() {
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
    func `a stream whose time is over ends in the way that its protocol has`(mayEndEarly: Bool) {
        let reason = RejectionReason.token(.expired)
        var expected = table([.queued, .connecting, .sending], .answer(reason))
        expected[.answering] = (mayEndEarly ? .endResponse(reason) : .abort, .answering)
        expected[.tunnel] = (.endTunnel(reason), .tunnel)
        check(expected) { $0.streamExpired(reason, mayEndEarly: mayEndEarly) }
    }

    @Test func `a client that goes cuts off its request, or ends its tunnel`() {
        let states: [State] = [.queued, .connecting, .sending, .answering]
        var expected = Dictionary(uniqueKeysWithValues: states.map { ($0, (Action.cutOff, State.idle)) })
        expected[.tunnel] = (.finish, .idle)
        check(expected) { $0.clientGone() }
    }
}
