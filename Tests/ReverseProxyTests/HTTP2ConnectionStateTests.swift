import Testing

@testable import ReverseProxy

/// What each event means to an HTTP/2 connection from a client, in every state.
struct HTTP2ConnectionStateTests {
    enum Event: CaseIterable {
        case drain, endAcknowledged, idleEnded, sessionEnded, sessionFailed, inputClosed
    }

    private func state(_ state: HTTP2ConnectionState.State, streams: Int = 1) -> HTTP2ConnectionState {
        var made = HTTP2ConnectionState()
        for _ in 0..<streams { _ = made.streamBegan(limit: nil, isLate: false) }
        switch state {
        case .serving: break
        case .ending: _ = made.drain()
        case .settled:
            _ = made.drain()
            _ = made.endAcknowledged()
        case .leaving: _ = made.inputClosed()
        case .closed: _ = made.channelClosed()
        }
        return made
    }

    private func action(_ event: Event, in state: inout HTTP2ConnectionState) -> HTTP2ConnectionState.Action {
        switch event {
        case .drain: state.drain()
        case .endAcknowledged: state.endAcknowledged()
        case .idleEnded: state.idleEnded()
        case .sessionEnded: state.sessionEnded(hasFailed: false)
        case .sessionFailed: state.sessionEnded(hasFailed: true)
        case .inputClosed: state.inputClosed()
        }
    }

    private static let table: [(HTTP2ConnectionState.State, Event, HTTP2ConnectionState.Action)] = [
        (.serving, .drain, .announceEnd), (.serving, .endAcknowledged, .none), (.serving, .idleEnded, .announceEnd),
        (.serving, .sessionEnded, .leave), (.serving, .sessionFailed, .leave), (.serving, .inputClosed, .leave),
        (.ending, .drain, .none), (.ending, .endAcknowledged, .settle), (.ending, .idleEnded, .settle),
        (.ending, .sessionEnded, .none), (.ending, .sessionFailed, .leave), (.ending, .inputClosed, .leave),
        (.settled, .drain, .none), (.settled, .endAcknowledged, .none), (.settled, .idleEnded, .leave),
        (.settled, .sessionEnded, .leave), (.settled, .sessionFailed, .leave), (.settled, .inputClosed, .leave),
        (.leaving, .drain, .none), (.leaving, .endAcknowledged, .none), (.leaving, .idleEnded, .close),
        (.leaving, .sessionEnded, .none), (.leaving, .sessionFailed, .none), (.leaving, .inputClosed, .close),
        (.closed, .drain, .none), (.closed, .endAcknowledged, .none), (.closed, .idleEnded, .none),
        (.closed, .sessionEnded, .none), (.closed, .sessionFailed, .none), (.closed, .inputClosed, .none),
    ]

    @Test func `every event in every state`() {
        for (state, event, expected) in Self.table {
            var connection = self.state(state)
            #expect(action(event, in: &connection) == expected, "\(event) in \(state)")
        }
        #expect(Self.table.count == 5 * Event.allCases.count)
    }

    @Test func `a client that never sent a request gets no GOAWAY`() {
        var connection = state(.serving, streams: 0)
        let action = connection.idleEnded()
        #expect(action == .leave)
    }

    @Test func `a request that was on its way is taken until the client had time to hear of the end`() {
        var connection = state(.ending, streams: 0)
        let (inTime, late) = (connection.streamBegan(limit: nil, isLate: false), connection.streamBegan(limit: nil, isLate: true))
        #expect(inTime && !late)
        let open = connection.openStreams
        #expect(open == 1)
        var settled = state(.settled, streams: 0)
        let isTaken = settled.streamBegan(limit: nil, isLate: false)
        #expect(!isTaken)
    }

    @Test func `the last request that the connection may carry begins its end, and the next is refused`() {
        var connection = HTTP2ConnectionState()
        var taken: [Bool] = []
        var actions: [HTTP2ConnectionState.Action] = []
        for _ in 1...3 {
            taken.append(connection.streamBegan(limit: 2, isLate: false))
            actions.append(connection.limitReached(2))
        }
        #expect(taken == [true, true, false])
        #expect(actions == [.none, .announceEnd, .none])
        let unlimited = connection.limitReached(nil)
        #expect(unlimited == .none)
    }

    @Test func `streams are counted, and the channel is gone once`() {
        var connection = state(.serving, streams: 2)
        connection.streamEnded()
        let one = connection.openStreams
        connection.streamEnded()
        connection.streamEnded()
        let none = connection.openStreams
        #expect(one == 1 && none == 0)
        let (first, second) = (connection.channelClosed(), connection.channelClosed())
        #expect(first && !second)
    }
}

/// What each event means to one request on a stream, in every state.
struct HTTP2RequestStateTests {
    private func state(_ state: HTTP2RequestState.State, inputEnds: Bool = false) -> HTTP2RequestState {
        var made = HTTP2RequestState()
        if inputEnds { made.inputClosed() }
        switch state {
        case .exchange: break
        case .ending: _ = made.answered(isRestWanted: true)
        case .reset: _ = made.reset()
        case .closed: _ = made.closed()
        }
        return made
    }

    @Test(arguments: [
        (HTTP2RequestState.State.exchange, false, false, true), (.exchange, true, false, false), (.exchange, false, true, false),
        (.exchange, true, true, false), (.ending, false, false, false), (.reset, false, false, false), (.closed, false, false, false),
    ])
    func `the rest of a request is called off once, if it is not wanted and not here`(
        begin: HTTP2RequestState.State, isRestWanted: Bool, inputEnds: Bool, isCalledOff: Bool
    ) {
        var request = state(begin, inputEnds: inputEnds)
        let result = request.answered(isRestWanted: isRestWanted)
        #expect(result == isCalledOff)
        #expect(request.isInProgress == false)
    }

    @Test(arguments: [
        (HTTP2RequestState.State.exchange, true, true), (.ending, true, false), (.reset, false, false), (.closed, false, false),
    ])
    func `a stream is reset once, and only one in progress has an exchange to end`(
        begin: HTTP2RequestState.State, mayReset: Bool, wasInProgress: Bool
    ) {
        var one = state(begin)
        let isReset = one.reset()
        #expect(isReset == mayReset)
        var other = state(begin)
        let wasOpen = other.closed()
        #expect(wasOpen == wasInProgress)
    }

    @Test func `the end of the client's side is told once, and only to an exchange`() {
        var request = state(.exchange)
        let before = request.reportsEnd()
        request.inputClosed()
        let (first, second) = (request.reportsEnd(), request.reportsEnd())
        #expect(!before && first && !second)
        var answered = state(.ending, inputEnds: true)
        let late = answered.reportsEnd()
        #expect(!late)
    }

    @Test func `only a paused stream waits for the queue`() {
        var request = state(.exchange)
        let untold = request.queueDrained()
        request.queued(welcomesMore: false)
        let isPaused = request.isPaused
        let (first, second) = (request.queueDrained(), request.queueDrained())
        #expect(!untold && isPaused && first && !second)
        var answered = state(.ending)
        answered.queued(welcomesMore: false)
        let forNobody = answered.queueDrained()
        #expect(!forNobody && !answered.isPaused)
    }
}

struct HTTP2RequestStreamTests {
    @Test(arguments: [true, false]) func `a request that is over and not used again is let go`(isAnswered: Bool) throws {
        let fixture = try UpstreamSessionFixture()
        let supplies = HTTP2Supplies(on: fixture.loop, fixture.upstreams)
        let hop = DownstreamHop(ClientAddress(peer: "192.0.2.1"))
        weak var left: HTTP2RequestStream?
        do {
            let request = supplies.takeRequest(of: hop)
            left = request
            request.exchange.begin(on: request, hop: hop)
            if isAnswered { _ = request.state.answered(isRestWanted: true) }
            request.closed()
        }
        #expect(left == nil)
    }
}
