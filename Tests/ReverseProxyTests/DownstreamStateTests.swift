import RequestAuthorization
import Testing

@testable import ReverseProxy

/// Sequences of events around requests, each with the action that follows.
struct DownstreamStateTests {
    private func busy(keepsAlive: Bool = true) -> DownstreamState {
        var state = DownstreamState()
        _ = state.headBegan()
        state.headReceived(keepsAlive: keepsAlive)
        return state
    }

    private func lingering() -> DownstreamState {
        var state = busy(keepsAlive: false)
        _ = state.responseSent(requestEnded: true)
        return state
    }

    private func discarding() -> DownstreamState {
        var state = busy()
        _ = state.ownAnswerBegan(rest: 2, mayKeepAlive: true)
        _ = state.ownAnswerSent(rest: 2)
        return state
    }

    @Test func `a head begins once, and the next may begin after the answer`() {
        var state = DownstreamState()
        expect(state.isIdle && state.headBegan())
        expect(!state.headBegan() && state.state == .exchange)
        state.headReceived(keepsAlive: true)
        state.responseBegan(keepsAlive: true)
        expect(state.responseSent(requestEnded: true) == .nextRequest)
        expect(state.isIdle && state.requests == 1 && state.headBegan())
    }

    @Test(arguments: [
        (true, true, DownstreamState.Action.nextRequest), (true, false, .linger), (false, true, .linger),
        (false, false, .linger),
    ])
    func `an answer is the last if the request has not ended or the answer says close`(
        keepsAlive: Bool, requestEnded: Bool, action: DownstreamState.Action
    ) {
        var state = busy()
        state.responseBegan(keepsAlive: keepsAlive)
        expect(state.responseSent(requestEnded: requestEnded) == action)
        expect(state.isLingering == (action == .linger))
        expect(state.responseSent(requestEnded: requestEnded) == .none)
    }

    @Test(arguments: [
        (true, false, Int?.none, false, true, false), (false, false, 1, false, true, false),
        (false, false, 2, false, true, true),
        (false, false, nil, false, true, true), (false, true, nil, false, true, false),
        (false, true, nil, true, true, true),
        (false, false, nil, false, false, false),
    ])
    func `draining, the limit, the client's half-close and an unfinished request end the connection after the answer`(
        isDraining: Bool, inputEnds: Bool, limit: Int?, more: Bool, requestEnded: Bool, mayKeepAlive: Bool
    ) {
        var state = busy()
        if inputEnds { state.inputClosed() }
        expect(
            state.mayKeepAlive(isDraining: isDraining, limit: limit, more: more, requestEnded: requestEnded)
                == mayKeepAlive)
        let closing = busy(keepsAlive: false)
        expect(!closing.mayKeepAlive(isDraining: false, limit: nil, more: true, requestEnded: true))
    }

    @Test(
        arguments: [
            (0, true, ConnectionFate.keep, DownstreamState.Action.nextRequest), (65_536, true, .keep, .discardBody),
            (65_537, true, .close, .linger),
            (nil, true, .close, .linger), (0, false, .close, .linger),
        ] as [(Int?, Bool, ConnectionFate, DownstreamState.Action)])
    func `a refusal keeps the connection if the rest of the body is known and at most 64 KiB`(
        rest: Int?, mayKeepAlive: Bool, fate: ConnectionFate, action: DownstreamState.Action
    ) {
        var state = busy()
        expect(state.ownAnswerBegan(rest: rest, mayKeepAlive: mayKeepAlive) == fate)
        expect(state.ownAnswerSent(rest: rest) == action)
    }

    @Test func `the next request may begin after the old body is discarded`() {
        var state = discarding()
        expect(state.state == .discarding && !state.headBegan())
        expect(state.bodyDiscarded() == .nextRequest)
        expect(state.bodyDiscarded() == .none && state.headBegan())
    }

    @Test func `lingering discards at most 64 KiB and then closes`() {
        var state = lingering()
        expect(state.bytesDiscarded(65_536) == .none)
        expect(state.bytesDiscarded(1) == .close)
        var other = busy()
        expect(other.bytesDiscarded(.max) == .none)
    }

    @Test func `lingering after a tunnel has no byte limit`() {
        var state = busy()
        expect(state.tunnelEnded() == .linger && state.tunnelEnded() == .none)
        expect(state.bytesDiscarded(.max) == .none)
        // One byte past what can be counted.
        expect(state.bytesDiscarded(1) == .close)
    }

    @Test func `only an idle connection closes by lingering, and only once`() {
        var state = DownstreamState()
        expect(state.idleEnded() == .linger && state.isLingering)
        expect(state.idleEnded() == .close)
        var other = busy()
        expect(other.idleEnded() == .close && other.state == .exchange)
    }

    @Test func `the end of the client's input closes an idle connection and is passed to an exchange`() {
        var idle = DownstreamState()
        var exchange = busy()
        var body = discarding()
        var last = lingering()
        for isEmpty in [true, false] {
            expect(idle.inputConsumed(isEmpty: isEmpty) == .none)
            expect(exchange.inputConsumed(isEmpty: isEmpty) == .none)
        }
        idle.inputClosed()
        exchange.inputClosed()
        body.inputClosed()
        last.inputClosed()
        for isEmpty in [true, false] {
            expect(idle.inputConsumed(isEmpty: isEmpty) == (isEmpty ? .close : .none))
            expect(exchange.inputConsumed(isEmpty: isEmpty) == .askExchange)
            expect(body.inputConsumed(isEmpty: isEmpty) == (isEmpty ? .close : .none))
            expect(last.inputConsumed(isEmpty: isEmpty) == .none)
        }
    }

    @Test func `received bytes are read by the exchange if there is one, otherwise by the connection`() {
        let idle = DownstreamState()
        let exchange = busy()
        let body = discarding()
        let last = lingering()
        var closed = busy()
        _ = closed.channelClosed()
        let readings: [(RequestReading, DownstreamState.Reading)] = [
            (.head, .head), (.body, .body), (.tunnel, .tunnel), (.held, .held), (.question, .held),
        ]
        for (asked, answer) in readings {
            for isWritable in [true, false] {
                expect(exchange.reading(asked, isWritable: isWritable) == answer)
                expect(body.reading(asked, isWritable: isWritable) == .discarded)
                expect(last.reading(asked, isWritable: isWritable) == .lingering)
                expect(closed.reading(asked, isWritable: isWritable) == .held)
            }
            expect(idle.reading(asked, isWritable: true) == .head)
            // The next request waits until the client has read enough of the answers before it.
            expect(idle.reading(asked, isWritable: false) == .held)
        }
    }

    @Test func `a closed channel is reported once`() {
        var state = busy()
        expect(state.channelClosed() && !state.channelClosed())
        expect(state.responseSent(requestEnded: true) == .none && !state.headBegan())
    }
}
