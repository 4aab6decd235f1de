import HTTPMessages
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// Sequences of events, each with what the state says next.
struct DownstreamStateTests {
    private func relaying(_ framing: BodyFraming = .none, keepsAlive: Bool = true) -> DownstreamState {
        var state = DownstreamState()
        _ = state.headArrives()
        state.headEnded(framing: framing, keepsAlive: keepsAlive)
        state.permitted()
        return state
    }

    @Test func `a request without a body is relayed and another may follow`() {
        var state = DownstreamState()
        expect(state.reading == .head && !state.isBusy)
        expect(state.headArrives())
        expect(!state.headArrives())
        state.headEnded(framing: .none, keepsAlive: true)
        expect(state.phase == .judging && state.reading == .held)
        state.permitted()
        expect(state.phase == .forwarding && state.reading == .held && state.requestEnded)
        expect(state.mayKeepAlive(isDraining: false, limit: nil, more: false))
        state.responseBegins(keepsAlive: true)
        expect(state.isAnswering)
        expect(state.responseEnded() == .nextRequest)
        expect(state.phase == .idle && state.reading == .head)
    }

    @Test func `a body is read once the request is permitted`() {
        var state = DownstreamState()
        _ = state.headArrives()
        state.headEnded(framing: .length(3), keepsAlive: true)
        expect(state.reading == .held)
        state.permitted()
        expect(state.reading == .body)
        state.bodyEnded()
        expect(state.reading == .held)
    }

    @Test func `an answer before the end of the request is the last`() {
        var state = relaying(.chunked)
        expect(!state.mayKeepAlive(isDraining: false, limit: nil, more: false))
        state.responseBegins(keepsAlive: false)
        state.bodyEnded()
        expect(state.responseEnded() == .linger)
        expect(state.phase == .lingering)
    }

    @Test func `draining, the limit, the client's wish and its half-close end the connection after the answer`() {
        let state = relaying()
        expect(!state.mayKeepAlive(isDraining: true, limit: nil, more: false))
        expect(!state.mayKeepAlive(isDraining: false, limit: 1, more: false))
        expect(state.mayKeepAlive(isDraining: false, limit: 2, more: false))
        let closing = relaying(keepsAlive: false)
        expect(!closing.mayKeepAlive(isDraining: false, limit: nil, more: true))
        var halfClosed = relaying()
        halfClosed.inputClosed()
        expect(!halfClosed.mayKeepAlive(isDraining: false, limit: nil, more: false))
        expect(halfClosed.mayKeepAlive(isDraining: false, limit: nil, more: true))
    }

    @Test func `a refusal keeps the connection if the rest of the body is small and certain`() {
        for (rest, fate, next) in [
            (0, ConnectionFate.keep, DownstreamState.Continuation.nextRequest), (65_536, .keep, .discardBody), (65_537, .close, .linger),
            (nil, .close, .linger),
        ] as [(Int?, ConnectionFate, DownstreamState.Continuation)] {
            var state = DownstreamState()
            _ = state.headArrives()
            state.headEnded(framing: .length(rest ?? 1), keepsAlive: true)
            expect(state.rejects(endsConnection: false, rest: rest, mayKeepAlive: true) == fate)
            expect(state.rejected(rest: rest) == next)
        }
        var state = relaying()
        expect(state.rejects(endsConnection: true, rest: 0, mayKeepAlive: true) == .close)
        expect(state.rejected(rest: 0) == .linger)
    }

    @Test func `a head that is refused ends the connection`() {
        var state = DownstreamState()
        _ = state.headArrives()
        expect(state.rejects(endsConnection: false, rest: 0, mayKeepAlive: true) == .close)
        expect(state.rejected(rest: 0) == .linger)
        expect(state.reading == .lingering)
    }

    @Test func `a discarded body makes room for the next request`() {
        var state = DownstreamState()
        _ = state.headArrives()
        state.headEnded(framing: .length(2), keepsAlive: true)
        _ = state.rejects(endsConnection: false, rest: 2, mayKeepAlive: true)
        _ = state.rejected(rest: 2)
        expect(state.reading == .discarded)
        state.discardingEnded()
        expect(state.reading == .head && state.headArrives())
    }

    @Test func `lingering reads 64 KiB and not more`() {
        var state = DownstreamState()
        expect(state.lingers(byteCount: 65_536))
        expect(!state.lingers(byteCount: 1))
    }

    @Test func `what a missing rest means depends on where it is missing`() {
        var idle = DownstreamState()
        expect(idle.starved(isEmpty: true) == .none)
        idle.inputClosed()
        expect(idle.starved(isEmpty: true) == .close)
        var head = DownstreamState()
        _ = head.headArrives()
        head.inputClosed()
        expect(head.starved(isEmpty: false) == .answer(.badRequest))
        var body = relaying(.length(2))
        body.inputClosed()
        expect(body.starved(isEmpty: false) == .none)
        expect(body.starved(isEmpty: true) == .answer(.badRequest))
        body.responseBegins(keepsAlive: false)
        expect(body.starved(isEmpty: true) == .abort)
        var whole = relaying()
        whole.inputClosed()
        expect(whole.starved(isEmpty: true) == .none)
    }

    @Test func `what a deadline means depends on who is late`() {
        let idle = DownstreamState()
        expect(idle.deadlinePassed(upstreamStalls: false) == .close)
        var head = DownstreamState()
        _ = head.headArrives()
        expect(head.deadlinePassed(upstreamStalls: false) == .answer(.requestTimeout))
        head.headEnded(framing: .none, keepsAlive: true)
        expect(head.deadlinePassed(upstreamStalls: false) == .none)
        var body = relaying(.chunked)
        expect(body.deadlinePassed(upstreamStalls: false) == .answer(.requestTimeout))
        expect(body.deadlinePassed(upstreamStalls: true) == .answer(.upstreamTimeout))
        body.bodyEnded()
        expect(body.deadlinePassed(upstreamStalls: false) == .answer(.upstreamTimeout))
        body.responseBegins(keepsAlive: true)
        expect(body.deadlinePassed(upstreamStalls: false) == .abort)
    }

    @Test func `an upstream's failure is an answer before the response and an abort in it`() {
        var state = relaying()
        expect(state.upstreamFailed(.upstreamInvalid) == .answer(.upstreamInvalid))
        state.responseBegins(keepsAlive: true)
        expect(state.upstreamFailed(.upstreamInvalid) == .abort)
        _ = state.responseEnded()
        expect(state.upstreamFailed(.upstreamInvalid) == .none)
    }

    @Test func `only an idle connection is left, once, and what comes afterwards is thrown away`() {
        var state = DownstreamState()
        expect(state.leaves())
        expect(!state.leaves() && state.reading == .lingering)
        var busy = relaying()
        expect(!busy.leaves() && busy.phase == .forwarding)
    }

    @Test func `a tunnel begins behind a whole request before any answer, and ends once`() {
        var early = DownstreamState()
        _ = early.headArrives()
        early.headEnded(framing: .none, keepsAlive: true)
        expect(!early.tunnels())
        var withBody = relaying(.chunked)
        expect(!withBody.tunnels())
        var answered = relaying()
        answered.responseBegins(keepsAlive: true)
        expect(!answered.tunnels())

        var state = relaying()
        expect(state.tunnels())
        expect(state.reading == .tunnel && state.isBusy && !state.tunnels())
        state.inputClosed()
        expect(state.starved(isEmpty: false) == .none)
        expect(state.starved(isEmpty: true) == .halfClose)
        expect(state.deadlinePassed(upstreamStalls: false) == .close)
        expect(state.tunnelEnds())
        expect(!state.tunnelEnds() && state.phase == .lingering)
    }

    @Test func `closing tells once what was going on`() {
        var state = relaying()
        expect(state.closes() == .forwarding)
        expect(state.closes() == .closed)
        expect(state.reading == .held && !state.isBusy)
    }
}
