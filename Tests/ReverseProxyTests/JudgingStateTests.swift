import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@testable import ReverseProxy

/// Table tests: every event in every state, with the resulting action and state.
struct JudgingStateTests {
    private typealias State = JudgingState.State
    private typealias Action = JudgingState.Action

    /// A request brought into a state by the events that the gateway sends.
    private func request(in state: State) -> JudgingState {
        var request = JudgingState()
        guard state != .idle else { return request }
        expect(request.headBegan() == .none)
        guard state != .head else { return request }
        expect(request.headReceived(hasBody: true) == .judge)
        switch state {
        case .idle, .head, .judging: break
        case .question: expect(request.questionBegan() == .none)
        case .waiting: expect(request.waitBegan() == .none)
        case .body: expect(request.bodyAwaited() == .none)
        case .forwarded: expect(request.permitted() == .none)
        }
        return request
    }

    /// Compares the result of an event in each state with a table. An event in a state outside the table is unexpected
    /// and changes nothing.
    private func check(
        _ table: [State: (Action, State)], sourceLocation: SourceLocation = #_sourceLocation,
        _ event: (inout JudgingState) -> Action
    ) {
        for state in State.allCases {
            var request = request(in: state)
            let before = (request.requestEnded, request.isAnswered)
            let action = event(&request)
            let expected = table[state] ?? (.unexpected, state)
            #expect(action == expected.0, "\(state)", sourceLocation: sourceLocation)
            #expect(request.state == expected.1, "\(state)", sourceLocation: sourceLocation)
            guard table[state] == nil else { continue }
            #expect((request.requestEnded, request.isAnswered) == before, "\(state)", sourceLocation: sourceLocation)
        }
    }

    @Test func `a head may begin between two requests, and is judged once complete`() {
        var begun = Dictionary(uniqueKeysWithValues: State.allCases.map { ($0, (Action.unexpected, State.head)) })
        begun[.idle] = (.none, .head)
        check(begun) { $0.headBegan() }
        for hasBody in [false, true] {
            check([.head: (.judge, .judging)]) { $0.headReceived(hasBody: hasBody) }
            var request = request(in: .head)
            _ = request.headReceived(hasBody: hasBody)
            expect(request.requestEnded == !hasBody)
        }
    }

    @Test func `a message is judged once complete, which also ends its request`() {
        check([.judging: (.none, .question)]) { $0.questionBegan() }
        check([.question: (.judge, .judging)]) { $0.questionEnded() }
        var request = request(in: .question)
        _ = request.questionEnded()
        expect(request.requestEnded)
    }

    @Test func `a verdict may wait for an answer, and a late answer is ignored`() {
        check([.judging: (.none, .waiting)]) { $0.waitBegan() }
        check([.waiting: (.judge, .judging), .idle: (.none, .idle)]) { $0.answerReceived() }
    }

    @Test func `a verdict may wait for the whole body, which ends the request`() {
        check([.judging: (.none, .body)]) { $0.bodyAwaited() }
        check([.body: (.judge, .judging)]) { $0.bodyReceived() }
        var request = request(in: .body)
        expect(!request.requestEnded)
        _ = request.bodyReceived()
        expect(request.requestEnded)
    }

    @Test func `a permitted request stays forwarded until forwarding ends`() {
        check([.judging: (.none, .forwarded)]) { $0.permitted() }
        for requestEnded in [false, true] {
            check([.forwarded: (.none, .idle)]) { $0.forwardingEnded(requestEnded: requestEnded) }
            var request = request(in: .forwarded)
            _ = request.forwardingEnded(requestEnded: requestEnded)
            expect(request.isAnswered && request.requestEnded == requestEnded)
        }
    }

    @Test func `an answer of the gateway ends every request that is not forwarded`() {
        let busy: [State] = [.head, .question, .judging, .waiting, .body]
        check(Dictionary(uniqueKeysWithValues: busy.map { ($0, (.none, .idle)) })) { $0.answered() }
        for state in busy {
            var request = request(in: state)
            _ = request.answered()
            expect(request.isAnswered)
            _ = request.headBegan()
            expect(!request.isAnswered && !request.requestEnded)
        }
    }

    @Test func `a client that half-closes within a head, a message or a body gets an answer`() {
        let bad = Action.answer(.message(.badRequest))
        for isEmpty in [false, true] {
            check([
                .idle: (.none, .idle), .head: (bad, .head), .question: (bad, .question), .judging: (.none, .judging),
                .waiting: (.none, .waiting), .body: (isEmpty ? bad : .none, .body),
            ]) { $0.inputEnded(isEmpty: isEmpty) }
        }
    }

    @Test func `a head, a message or a body that is not complete in time is 408`() {
        let late = Action.answer(.message(.requestTimeout))
        check([.head: (late, .head), .question: (late, .question), .body: (late, .body)]) { $0.deadlinePassed() }
    }

    @Test func `a request whose time ends before its verdict is answered`() {
        let expired = Action.answer(.token(.expired))
        check([
            .idle: (.none, .idle), .head: (.none, .head), .judging: (expired, .judging), .waiting: (expired, .waiting),
            .body: (expired, .body),
        ]) { $0.streamExpired(.token(.expired)) }
    }

    @Test func `a client that disconnects cancels the request in every state`() {
        let busy: [State] = [.head, .question, .judging, .waiting, .body]
        var table = Dictionary(uniqueKeysWithValues: busy.map { ($0, (Action.cutOff, State.idle)) })
        table[.idle] = (.none, .idle)
        check(table) { $0.clientGone() }
    }
}
