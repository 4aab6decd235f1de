import RequestAuthorization
import Testing

@testable import ReverseProxy

struct UpstreamStateTests {
    private func leased() -> UpstreamState {
        var state = UpstreamState()
        state.connected()
        _ = state.lease()
        return state
    }

    @Test func `a clean exchange leaves the connection for another`() {
        var state = UpstreamState()
        expect(!state.lease())
        state.connected()
        expect(state.lease())
        expect(!state.lease())
        expect(!state.isReused)
        state.requestIsSent()
        expect(state.bytesArrive() == .response)
        state.headEnded(keepsAlive: true, endsWithConnection: false)
        expect(state.responseEnded(surplus: false) == .reuse)
        expect(state.lease() && state.isReused && !state.responseBegan)
    }

    @Test(arguments: [(false, true, false), (true, false, false), (true, true, true)])
    func `a connection that is not provably clean is closed`(isSent: Bool, keepsAlive: Bool, surplus: Bool) {
        var state = leased()
        if isSent { state.requestIsSent() }
        _ = state.bytesArrive()
        state.headEnded(keepsAlive: keepsAlive, endsWithConnection: false)
        expect(state.responseEnded(surplus: surplus) == .close)
        expect(!state.lease())
    }

    @Test func `bytes that nobody asked for are unsolicited`() {
        var state = UpstreamState()
        expect(state.bytesArrive() == .unsolicited)
        state.connected()
        expect(state.bytesArrive() == .unsolicited)
    }

    @Test func `a tunnel begins behind the whole request, and its connection is nobody's afterwards`() {
        var state = leased()
        expect(!state.upgrades())
        state.requestIsSent()
        expect(state.upgrades())
        expect(state.bytesArrive() == .tunnel)
        expect(!state.upgrades() && !state.lease())
        expect(state.inputClosed() == .endOfTunnel)
        expect(!state.lease() && state.closes() == nil)
    }

    @Test func `ten interim responses are enough`() {
        var state = leased()
        for _ in 1...10 { expect(state.interimResponse()) }
        expect(!state.interimResponse())
    }

    @Test func `what the upstream's end means depends on what was to come`() {
        var idle = UpstreamState()
        idle.connected()
        expect(idle.inputClosed() == .close)
        var head = leased()
        expect(head.inputClosed() == .failure(.closed(isReused: false, responseBegan: false)))
        var begun = leased()
        _ = begun.bytesArrive()
        expect(begun.inputClosed() == .failure(.closed(isReused: false, responseBegan: true)))
        var counted = leased()
        counted.headEnded(keepsAlive: true, endsWithConnection: false)
        expect(counted.inputClosed() == .failure(.truncated))
        var open = leased()
        open.headEnded(keepsAlive: false, endsWithConnection: true)
        expect(open.inputClosed() == .endOfBody)
        expect(open.closes() == nil)
    }

    @Test func `a request that is refused was not processed, unless its answer had begun`() {
        var refused = leased()
        expect(refused.refuses() == .notProcessed)
        expect(refused.closes() == nil)
        var begun = leased()
        _ = begun.bytesArrive()
        expect(begun.refuses() == .closed(isReused: false, responseBegan: true))
        var answered = leased()
        _ = answered.bytesArrive()
        answered.headEnded(keepsAlive: true, endsWithConnection: false)
        expect(answered.refuses() == .truncated)
    }

    @Test func `a connection that vanishes is a failure even where its end would have been one`() {
        var open = leased()
        open.headEnded(keepsAlive: false, endsWithConnection: true)
        expect(open.closes() == .truncated)
        var connecting = UpstreamState()
        expect(connecting.closes() == .unreachable)
    }
}

struct UpstreamFailureTests {
    @Test func `only what cannot have had an effect, or may be repeated, is tried again`() {
        for isReplayable in [true, false] {
            for isHeld in [true, false] {
                expect(UpstreamFailure.unreachable.allowsRetry(attempts: 1, isReplayable: isReplayable, isHeld: isHeld))
                expect(UpstreamFailure.connectTimeout.allowsRetry(attempts: 1, isReplayable: isReplayable, isHeld: isHeld))
                expect(!UpstreamFailure.invalidResponse.allowsRetry(attempts: 1, isReplayable: isReplayable, isHeld: isHeld))
                expect(!UpstreamFailure.truncated.allowsRetry(attempts: 1, isReplayable: isReplayable, isHeld: isHeld))
                let mayRepeat = isReplayable || isHeld
                expect(UpstreamFailure.notProcessed.allowsRetry(attempts: 1, isReplayable: isReplayable, isHeld: isHeld) == mayRepeat)
            }
        }
        for isReused in [true, false] {
            for responseBegan in [true, false] {
                for isReplayable in [true, false] {
                    let failure = UpstreamFailure.closed(isReused: isReused, responseBegan: responseBegan)
                    let mayRepeat = isReused && !responseBegan && isReplayable
                    expect(failure.allowsRetry(attempts: 1, isReplayable: isReplayable, isHeld: true) == mayRepeat)
                }
            }
        }
        expect(!UpstreamFailure.unreachable.allowsRetry(attempts: 2, isReplayable: true, isHeld: true))
        expect(!UpstreamFailure.notProcessed.allowsRetry(attempts: 2, isReplayable: true, isHeld: true))
    }

    @Test func `each failure has its reason`() {
        expect(UpstreamFailure.unreachable.reason == .upstreamUnreachable)
        expect(UpstreamFailure.connectTimeout.reason == .upstreamTimeout)
        expect(UpstreamFailure.closed(isReused: true, responseBegan: false).reason == .upstreamUnreachable)
        expect(UpstreamFailure.closed(isReused: true, responseBegan: true).reason == .upstreamInvalid)
        expect(UpstreamFailure.invalidResponse.reason == .upstreamInvalid)
        expect(UpstreamFailure.truncated.reason == .upstreamInvalid)
        expect(UpstreamFailure.notProcessed.reason == .upstreamRefused)
    }
}
