import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@testable import ReverseProxy

/// Every event in every state, each with the action that follows.
struct ExchangeStateTests {
    /// The states that a request can be in, each brought about as the gateway does.
    private enum Stage: CaseIterable {
        case idle, head, judging, question, waiting, queued, connecting, sending, sent, answering, answeringEarly,
            tunnel
    }

    private func exchange(_ stage: Stage) -> ExchangeState {
        var state = ExchangeState()
        guard stage != .idle else { return state }
        state.headBegan()
        guard stage != .head else { return state }
        _ = state.headReceived(hasBody: [.question, .sending, .connecting, .queued, .answeringEarly].contains(stage))
        guard stage != .judging else { return state }
        guard stage != .question else {
            state.questionBegan()
            return state
        }
        guard stage != .waiting else {
            state.waitBegan()
            return state
        }
        state.permitted()
        guard stage != .queued else {
            state.placeAwaited()
            return state
        }
        guard stage != .connecting else { return state }
        state.headSent()
        switch stage {
        case .answering, .answeringEarly: state.responseHeadReceived()
        case .tunnel: _ = state.protocolSwitched()
        default: break
        }
        return state
    }

    /// Compares what an event leads to with a table; stages that are not in it lead to nothing.
    private func check(
        _ table: [Stage: ExchangeState.Action], _ event: (inout ExchangeState) -> ExchangeState.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for stage in Stage.allCases {
            var state = exchange(stage)
            let (action, expected) = (event(&state), table[stage] ?? .none)
            #expect(action == expected, "\(stage)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a head is judged once it is whole`() {
        check([.head: .judge]) { $0.headReceived(hasBody: false) }
    }

    @Test func `a message is judged once it is whole`() {
        check([.question: .judge]) { $0.questionEnded() }
        var state = exchange(.question)
        _ = state.questionEnded()
        #expect(state.requestEnded && state.state == .judging)
    }

    @Test func `only a request that waits takes an answer, and is judged again`() {
        check([.waiting: .judge]) { $0.answerReceived() }
    }

    @Test func `a request that has no place waits for one, gets it once, or none`() {
        for stage in Stage.allCases {
            var state = exchange(stage)
            expect(state.placeGiven() == (stage == .queued))
            expect(stage != .queued || state.state == .forwarding(headIsSent: false) && state.reading == .body)
            expect(!state.placeGiven())
        }
        check([.queued: .answer(.gateway(.overloaded))]) { $0.placeRefused(.gateway(.overloaded)) }
        var state = exchange(.sent)
        expect(state.upstreamFailed(.upstream(.invalid), mayRetry: true) == .retry)
        state.placeAwaited()
        expect(state.state == .queued)
    }

    @Test func `the head is sent once, to the upstream that is there`() {
        check([.connecting: .sendHead]) { $0.upstreamConnected() }
    }

    @Test func `an answer ends the exchange, once`() {
        for stage in Stage.allCases where stage != .idle {
            var state = exchange(stage)
            expect(state.answerSent() == .finish)
            expect(state.answerSent() == .none && !state.isBusy)
        }
        var idle = exchange(.idle)
        expect(idle.answerSent() == .none && !idle.isBusy)
    }

    @Test func `the gateway answers a request in progress itself, once`() {
        for stage in Stage.allCases {
            var state = exchange(stage)
            expect(state.ownAnswerBegan() == (stage != .idle))
            expect(!state.ownAnswerBegan())
            expect(state.responseBegan == (stage != .idle))
        }
    }

    @Test func `protocols are switched behind a whole request, before any answer`() {
        check([.sent: .openTunnel]) { $0.protocolSwitched() }
        check([.tunnel: .finish]) { $0.tunnelEnded() }
    }

    @Test(arguments: [true, false])
    func `an upstream's failure is another attempt or an answer before the response, and an abort in it`(mayRetry: Bool)
    {
        let before: ExchangeState.Action = mayRetry ? .retry : .answer(.upstream(.invalid))
        check([.connecting: before, .sending: before, .sent: before, .answering: .abort, .answeringEarly: .abort]) {
            $0.upstreamFailed(.upstream(.invalid), mayRetry: mayRetry)
        }
        var state = exchange(.sent)
        _ = state.upstreamFailed(.upstream(.invalid), mayRetry: true)
        expect(state.upstreamConnected() == .sendHead)
    }

    @Test func `the end of the client's input is an error where something was still to come`() {
        check([
            .head: .answer(.message(.badRequest)), .question: .answer(.message(.badRequest)),
            .connecting: .answer(.message(.badRequest)),
            .sending: .answer(.message(.badRequest)),
            .queued: .answer(.message(.badRequest)), .answeringEarly: .abort, .tunnel: .halfCloseTunnel,
        ]) { $0.inputEnded(isEmpty: true) }  // swift-format-ignore
        // Who waits for a place has a body that nobody has read yet.
        check([
            .head: .answer(.message(.badRequest)), .question: .answer(.message(.badRequest)), .queued: .answer(.gateway(.overloaded)),
        ]) { $0.inputEnded(isEmpty: false) }
    }

    @Test func `a deadline means what was waited for`() {
        let (late, silent) = (
            ExchangeState.Action.answer(.message(.requestTimeout)), ExchangeState.Action.answer(.upstream(.timeout))
        )
        check([
            .head: late, .question: late, .connecting: late, .sending: late, .sent: silent, .answering: .abort,
            .answeringEarly: .abort,
            .tunnel: .close,
        ]) {
            $0.deadlinePassed(upstreamStalls: false)
        }
        check([
            .head: late, .question: late, .connecting: silent, .sending: silent, .sent: silent, .answering: .abort,
            .answeringEarly: .abort,
            .tunnel: .close,
        ]) {
            $0.deadlinePassed(upstreamStalls: true)
        }
    }

    @Test(arguments: [true, false])
    func `a stream whose time is over ends in its protocol's own way`(mayEndEarly: Bool) {
        let (answer, end) = (
            ExchangeState.Action.answer(.token(.expired)),
            mayEndEarly ? ExchangeState.Action.endResponse(.token(.expired)) : .abort
        )
        check([
            .judging: answer, .waiting: answer, .queued: answer, .connecting: answer, .sending: answer, .sent: answer,
            .answering: end,
            .answeringEarly: end,
            .tunnel: .endTunnel(.token(.expired)),
        ]) { $0.streamExpired(.token(.expired), mayEndEarly: mayEndEarly) }  // swift-format-ignore
    }

    @Test func `a client that leaves cuts off what was in progress, once`() {
        var table: [Stage: ExchangeState.Action] = [:]
        for stage in Stage.allCases where stage != .idle { table[stage] = stage == .tunnel ? .finish : .cutOff }
        check(table) { $0.clientGone() }
        check([:]) { state in
            _ = state.clientGone()
            return state.clientGone()
        }
    }

    @Test func `bytes of the client are what the stage says`() {
        let table: [(Stage, ExchangeState.Reading)] = [
            (.idle, .head), (.head, .head), (.judging, .held), (.waiting, .held), (.queued, .held),
            (.connecting, .body), (.sending, .body),
            (.sent, .held),
            (.answering, .held), (.answeringEarly, .body), (.tunnel, .tunnel),
        ]
        for (stage, reading) in table { expect(exchange(stage).reading == reading) }
        var state = exchange(.sending)
        state.bodyReceived()
        expect(state.reading == .held && state.requestEnded)
    }

    @Test func `a head forgets the request before it`() {
        var state = exchange(.answering)
        _ = state.answerSent()
        expect(state.responseBegan && state.requestEnded)
        state.headBegan()
        expect(!state.responseBegan && !state.requestEnded && state.state == .head)
    }
}
