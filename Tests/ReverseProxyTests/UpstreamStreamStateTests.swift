import HTTP2Sessions
import HTTPMessages
import ProxySettings
import Testing

@testable import ReverseProxy

/// Table tests: every event in every state, with the resulting action.
struct UpstreamStreamStateTests {
    /// The states of a stream, each reached by the events that the session sends.
    private enum Stage: CaseIterable {
        case idle, sending, sent, interim, body, sentBody, received, closed
    }

    private func stream(_ stage: Stage, isShared: Bool = false) -> UpstreamStreamState {
        var state = UpstreamStreamState(isShared: isShared)
        guard stage != .idle else { return state }
        if stage == .closed {
            _ = state.abandoned()
            return state
        }
        _ = state.begin()
        if stage != .sending, stage != .body { state.requestSent() }
        switch stage {
        case .interim: _ = state.interimHeadReceived()
        case .body, .sentBody: _ = state.finalHeadReceived()
        case .received:
            _ = state.finalHeadReceived()
            _ = state.responseReceived()
        default: break
        }
        return state
    }

    /// Compares the result of an event in each stage with a table. In stages outside the table the event has no effect.
    private func check(
        _ table: [Stage: UpstreamStreamState.Action], isShared: Bool = false,
        _ event: (inout UpstreamStreamState) -> UpstreamStreamState.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for stage in Stage.allCases {
            var state = stream(stage, isShared: isShared)
            let (action, expected) = (event(&state), table[stage] ?? .none)
            #expect(action == expected, "\(stage)", sourceLocation: sourceLocation)
        }
    }

    private func cut(_ responseBegan: Bool, isReused: Bool = false) -> UpstreamStreamState.Action {
        .fail(.closed(isReused: isReused, responseBegan: responseBegan))
    }

    @Test func `a request begins once`() {
        for stage in Stage.allCases {
            var state = stream(stage)
            expect(state.begin() == (stage == .idle))
        }
    }

    @Test func `a cancelled stream is reset, unless nothing was sent or the response is complete`() {
        check([.sending: .reset, .sent: .reset, .interim: .reset, .body: .reset, .sentBody: .reset]) { $0.abandoned() }
        check([:]) { state in
            _ = state.abandoned()
            return state.abandoned()
        }
    }

    @Test func `a response head is relayed only when awaited, and content only after a head`() {
        check([.sending: .relayInterim, .sent: .relayInterim, .interim: .relayInterim]) { $0.interimHeadReceived() }
        check([.sending: .relayFinal, .sent: .relayFinal, .interim: .relayFinal]) { $0.finalHeadReceived() }
        check([.body: .relayContent, .sentBody: .relayContent]) { $0.contentReceived() }
    }

    @Test func `a response may be complete with its head, and then cuts off an unsent request`() {
        check([.body: .complete(isCut: true), .sentBody: .complete(isCut: false)]) { $0.responseReceived() }
        var state = stream(.body)
        state.requestSent()
        expect(state.responseReceived() == .complete(isCut: false) && state.state == .received)
    }

    @Test func `an eleventh interim response fails the request`() {
        var state = stream(.sent)
        for _ in 1...FixedLimits.interimResponses { expect(state.interimHeadReceived() == .relayInterim) }
        expect(state.interimHeadReceived() == .refuse(.invalidResponse(.interimResponses)))
        expect(state.state == .closed)
    }

    @Test func `a malformed response fails the request`() {
        let refusal = UpstreamStreamState.Action.refuse(.invalidResponse(.section(.status)))
        check([.sending: refusal, .sent: refusal, .interim: refusal, .body: refusal, .sentBody: refusal]) {
            $0.malformed(.section(.status))
        }
        let failure = UpstreamStreamState.Action.fail(.invalidResponse(.frames))
        check([.sending: failure, .sent: failure, .interim: failure, .body: failure, .sentBody: failure]) {
            $0.ended(.malformed(.protocolError))
        }
    }

    @Test func `a refused request was not processed, unless its answer had begun`() {
        check([
            .sending: .fail(.notProcessed), .sent: .fail(.notProcessed), .interim: cut(true), .body: .fail(.truncated),
            .sentBody: .fail(.truncated),
        ]) { $0.ended(.notProcessed) }  // swift-format-ignore
        check([
            .sending: .fail(.notProcessed), .sent: .fail(.notProcessed), .interim: cut(true), .body: .fail(.truncated),
            .sentBody: .fail(.truncated),
        ]) { $0.ended(.notSent) }
        let refusal = UpstreamStreamState.Action.fail(.takesNoRequests(isAsked: true))
        for end in [StreamEnd.notProcessed, .notSent] {
            check([
                .sending: refusal, .sent: refusal, .interim: cut(true), .body: .fail(.truncated),
                .sentBody: .fail(.truncated),
            ]) {
                $0.ended(end, takesNoRequests: true)
            }
        }
        check([:]) { state in
            let began = state.begin()
            let action = state.refusedBeforehand()
            return began && action == .fail(.notProcessed) ? .none : began ? action : .none
        }
    }

    @Test(arguments: [false, true]) func `any other end of the stream fails an incomplete response`(isShared: Bool) {
        let table: [Stage: UpstreamStreamState.Action] = [
            .sending: cut(false, isReused: isShared), .sent: cut(false, isReused: isShared),
            .interim: cut(true, isReused: isShared),
            .body: .fail(.truncated), .sentBody: .fail(.truncated),
        ]
        check(table, isShared: isShared) { $0.connectionLost() }
        check(table, isShared: isShared) { $0.ended(.resetByPeer(.internalError)) }
        check(table, isShared: isShared) { $0.ended(.complete) }
        check([:], isShared: isShared) { state in
            _ = state.connectionLost()
            return state.connectionLost()
        }
    }
}
