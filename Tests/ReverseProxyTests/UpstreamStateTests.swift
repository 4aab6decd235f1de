import RequestAuthorization
import Testing
import UpstreamFleets

@testable import ReverseProxy

/// Table tests: every event in every state, with the resulting action.
struct UpstreamStateTests {
    /// The states of a connection, each reached by the events that the gateway sends.
    private enum Stage: CaseIterable {
        case connecting, unwanted, idle, sending, sent, begun, interim, counted, open, tunnel, closed
    }

    private func connection(_ stage: Stage) -> UpstreamState {
        var state = UpstreamState()
        switch stage {
        case .connecting: return state
        case .unwanted:
            _ = state.abandoned()
            return state
        case .closed:
            _ = state.closed()
            return state
        default: _ = state.connected()
        }
        guard stage != .idle else { return state }
        _ = state.lease()
        guard stage != .sending else { return state }
        state.requestSent()
        guard stage != .sent else { return state }
        if stage != .tunnel { _ = state.bytesReceived() }
        switch stage {
        case .interim: _ = state.interimHeadReceived()
        case .counted: _ = state.finalHeadReceived(keepsAlive: true, endsWithConnection: false)
        case .open: _ = state.finalHeadReceived(keepsAlive: false, endsWithConnection: true)
        case .tunnel: _ = state.switchingProtocolsReceived(isAsked: true)
        default: break
        }
        return state
    }

    /// Compares the result of an event in each stage with a table. In stages outside the table the event has no effect.
    private func check(
        _ table: [Stage: UpstreamState.Action], _ event: (inout UpstreamState) -> UpstreamState.Action,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for stage in Stage.allCases {
            var state = connection(stage)
            let (action, expected) = (event(&state), table[stage] ?? .none)
            #expect(action == expected, "\(stage)", sourceLocation: sourceLocation)
        }
    }

    private func cut(_ responseBegan: Bool) -> UpstreamState.Action {
        .fail(.closed(isReused: false, responseBegan: responseBegan))
    }

    @Test func `a new connection is announced to a waiting request, and kept otherwise`() {
        check([.connecting: .announce, .unwanted: .keep]) { $0.connected() }
        check([.connecting: .fail(.connectTimeout)]) { $0.connectFailed(.connectTimeout) }
    }

    @Test func `a waiting request is told that a session took its connection, which cannot be leased then`() {
        check([.connecting: .announce]) { $0.handedOver() }
        var state = connection(.connecting)
        _ = state.handedOver()
        expect(!state.lease() && state.closed() == .none)
    }

    @Test func `only an idle connection is leased`() {
        for stage in Stage.allCases {
            var state = connection(stage)
            expect(state.lease() == (stage == .idle))
        }
    }

    @Test func `a cancelled lease closes the connection, unless it is still connecting`() {
        let stages = Stage.allCases.filter { $0 != .connecting && $0 != .unwanted }
        check(Dictionary(uniqueKeysWithValues: stages.map { ($0, .close) })) { $0.abandoned() }
    }

    @Test func `received bytes belong to the response, to the tunnel, or to nothing`() {
        let table: [Stage: UpstreamState.Action] = [
            .connecting: .close, .unwanted: .close, .idle: .close, .closed: .close, .sending: .readHead,
            .sent: .readHead,
            .begun: .readHead,
            .interim: .readHead, .counted: .readBody, .open: .readBody, .tunnel: .relayTunnel,
        ]
        check(table) { $0.bytesReceived() }
    }

    @Test func `a response head is relayed only when a head is awaited`() {
        let (interim, final) = (UpstreamState.Action.relayInterim, UpstreamState.Action.relayFinal)
        check([.sending: interim, .sent: interim, .begun: interim, .interim: interim]) { $0.interimHeadReceived() }
        check([.sending: final, .sent: final, .begun: final, .interim: final]) {
            $0.finalHeadReceived(keepsAlive: true, endsWithConnection: false)
        }
    }

    @Test func `an eleventh interim response fails the request`() {
        var state = connection(.sent)
        for _ in 1...10 { expect(state.interimHeadReceived() == .relayInterim) }
        expect(state.interimHeadReceived() == .fail(.invalidResponse(.interimResponses)))
        expect(state.state == .closed)
    }

    @Test func `protocols are switched only after a complete request that asked for it`() {
        for (stage, isAsked) in [
            (Stage.sending, true), (.sent, false), (.counted, true), (.idle, true), (.tunnel, true),
        ] {
            var state = connection(stage)
            expect(state.switchingProtocolsReceived(isAsked: isAsked) == .fail(.invalidResponse(.protocolSwitch)))
        }
        for stage in [Stage.sent, .begun, .interim] {
            var state = connection(stage)
            expect(state.switchingProtocolsReceived(isAsked: true) == .openTunnel && !state.lease())
        }
    }

    @Test(arguments: [
        (true, true, false, true), (false, true, false, false), (true, false, false, false), (true, true, true, false),
    ])
    func `a connection that is not known to be clean is closed`(
        isSent: Bool, keepsAlive: Bool, surplus: Bool, isKept: Bool
    ) {
        var state = connection(.sending)
        if isSent { state.requestSent() }
        _ = state.bytesReceived()
        _ = state.finalHeadReceived(keepsAlive: keepsAlive, endsWithConnection: false)
        expect(state.bodyEnded(surplus: surplus) == .complete(keeps: isKept))
        expect(state.lease() == isKept && state.isReused == isKept)
    }

    @Test func `a request that is fully sent before its answer ends leaves the connection clean`() {
        var state = connection(.sending)
        _ = state.finalHeadReceived(keepsAlive: true, endsWithConnection: false)
        state.requestSent()
        expect(state.bodyEnded(surplus: false) == .complete(keeps: true))
    }

    @Test func `the end of an upstream's output completes or fails the response according to its state`() {
        check([
            .connecting: .fail(.unreachable(.ended)), .unwanted: .close, .idle: .close, .sending: cut(false),
            .sent: cut(false),
            .begun: cut(true),
            .interim: cut(true), .counted: .fail(.truncated), .open: .endBody, .tunnel: .endTunnel, .closed: .close,
        ]) { $0.inputClosed() }  // swift-format-ignore
    }

    @Test func `a lost connection is a failure even where its orderly end would complete the response`() {
        let table: [Stage: UpstreamState.Action] = [
            .connecting: .fail(.unreachable(.ended)), .sending: cut(false), .sent: cut(false), .begun: cut(true),
            .interim: cut(true),
            .counted: .fail(.truncated), .open: .fail(.truncated), .tunnel: .endTunnel,
        ]
        check(table) { $0.closed() }
        check([:]) { state in
            _ = state.closed()
            return state.closed()
        }
    }
}

struct UpstreamFailureTests {
    @Test func `each upstream failure has its class for retries`() {
        for failure in [
            UpstreamFailure.unreachable(.refused), .connectTimeout, .handshakeTimeout, .takesNoRequests(isAsked: false),
        ] {
            expect(failure.attempt == .unconnected)
        }
        for failure in [UpstreamFailure.invalidResponse(.frames), .truncated] { expect(failure.attempt == .unanswered) }
        for isReused in [true, false] {
            for responseBegan in [true, false] {
                let failure = UpstreamFailure.closed(isReused: isReused, responseBegan: responseBegan)
                expect(failure.attempt == .closed(isReused: isReused, responseBegan: responseBegan))
            }
        }
        expect(UpstreamFailure.notProcessed.attempt == .refused)
        expect(UpstreamFailure.takesNoRequests(isAsked: true).attempt == .refused)
    }

    @Test func `each upstream failure has its rejection reason`() {
        expect(UpstreamFailure.unreachable(.refused).reason == .upstream(.unreachable))
        expect(UpstreamFailure.connectTimeout.reason == .upstream(.timeout))
        expect(UpstreamFailure.closed(isReused: true, responseBegan: false).reason == .upstream(.unreachable))
        expect(UpstreamFailure.closed(isReused: true, responseBegan: true).reason == .upstream(.invalid))
        expect(UpstreamFailure.invalidResponse(.frames).reason == .upstream(.invalid))
        expect(UpstreamFailure.truncated.reason == .upstream(.invalid))
        expect(UpstreamFailure.notProcessed.reason == .upstream(.refused))
        expect(UpstreamFailure.takesNoRequests(isAsked: true).reason == .upstream(.refused))
        expect(UpstreamFailure.takesNoRequests(isAsked: false).reason == .upstream(.refused))
        expect(UpstreamFailure.handshakeTimeout.reason == .upstream(.timeout))
    }

    @Test func `each upstream failure has its metric outcome and a distinct text`() {
        let failures: [(UpstreamFailure, UpstreamOutcome)] = [
            (.unreachable(.refused), .connectRefused), (.unreachable(.nameNotFound), .nameNotFound),
            (.unreachable(.tls("x")), .tlsFailed),
            (.unreachable(.certificate("y")), .certificate), (.unreachable(.system("z")), .connectFailed),
            (.unreachable(.ended), .connectFailed), (.unreachable(.noTarget), .connectFailed),
            (.connectTimeout, .connectTimeout),
            (.handshakeTimeout, .tlsTimeout), (.closed(isReused: false, responseBegan: false), .reset),
            (.closed(isReused: false, responseBegan: true), .reset), (.notProcessed, .notProcessed),
            (.invalidResponse(.frames), .invalidResponse),
            (.truncated, .reset), (.takesNoRequests(isAsked: true), .notProcessed),
            (.takesNoRequests(isAsked: false), .notProcessed),
        ]
        for (failure, outcome) in failures { expect(failure.outcome == outcome) }
        for (failure, outcome) in failures.dropLast(2) { expect(failure.fleetFailure == outcome.fleetFailure) }
        expect(UpstreamFailure.notProcessed.fleetFailure == nil)
        for (failure, _) in failures.suffix(2) { expect(failure.fleetFailure == .takesNoRequests) }
        expect(Set(failures.map(\.0.text)).count == failures.count)
    }
}
