import HTTPMessages
import RequestAuthorization
import Testing
import TokenVerification

@testable import ReverseProxy

/// Every event in every state, each with the action and the state that follow.
struct JudgingStateTests {
    private typealias State = JudgingState.State
    private typealias Action = JudgingState.Action

    /// A request in a state that was brought about as the gateway does.
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

    /// Compares what an event leads to with a table. In a state that the table leaves out the event is not expected, and
    /// changes nothing.
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

    @Test func `a head begins between two requests, and is judged once it is whole`() {
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

    @Test func `a message is judged once it is whole, and is the end of its request`() {
        check([.judging: (.none, .question)]) { $0.questionBegan() }
        check([.question: (.judge, .judging)]) { $0.questionEnded() }
        var request = request(in: .question)
        _ = request.questionEnded()
        expect(request.requestEnded)
    }

    @Test func `a verdict waits for an answer, and one that comes too late is for nobody`() {
        check([.judging: (.none, .waiting)]) { $0.waitBegan() }
        check([.waiting: (.judge, .judging), .idle: (.none, .idle)]) { $0.answerReceived() }
    }

    @Test func `a verdict waits for the body, which is the end of its request`() {
        check([.judging: (.none, .body)]) { $0.bodyAwaited() }
        check([.body: (.judge, .judging)]) { $0.bodyReceived() }
        var request = request(in: .body)
        expect(!request.requestEnded)
        _ = request.bodyReceived()
        expect(request.requestEnded)
    }

    @Test func `a permitted request is its forwarding's until that ends`() {
        check([.judging: (.none, .forwarded)]) { $0.permitted() }
        for requestEnded in [false, true] {
            check([.forwarded: (.none, .idle)]) { $0.forwardingEnded(requestEnded: requestEnded) }
            var request = request(in: .forwarded)
            _ = request.forwardingEnded(requestEnded: requestEnded)
            expect(request.isAnswered && request.requestEnded == requestEnded)
        }
    }

    @Test func `an answer of the gateway's own ends every request that is not forwarded`() {
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

    @Test func `a client that ends its side within a head, a message or a body is told so`() {
        let bad = Action.answer(.message(.badRequest))
        for isEmpty in [false, true] {
            check([
                .idle: (.none, .idle), .head: (bad, .head), .question: (bad, .question), .judging: (.none, .judging),
                .waiting: (.none, .waiting), .body: (isEmpty ? bad : .none, .body),
            ]) { $0.inputEnded(isEmpty: isEmpty) }
        }
    }

    @Test func `a head, a message or a body that does not come in time is 408`() {
        let late = Action.answer(.message(.requestTimeout))
        check([.head: (late, .head), .question: (late, .question), .body: (late, .body)]) { $0.deadlinePassed() }
    }

    @Test func `a stream whose time is over before its verdict is answered`() {
        let expired = Action.answer(.token(.expired))
        check([
            .idle: (.none, .idle), .head: (.none, .head), .judging: (expired, .judging), .waiting: (expired, .waiting),
            .body: (expired, .body),
        ]) { $0.streamExpired(.token(.expired)) }
    }

    @Test func `a client that goes cuts off whatever was begun`() {
        let busy: [State] = [.head, .question, .judging, .waiting, .body]
        var table = Dictionary(uniqueKeysWithValues: busy.map { ($0, (Action.cutOff, State.idle)) })
        table[.idle] = (.none, .idle)
        check(table) { $0.clientGone() }
    }
}
