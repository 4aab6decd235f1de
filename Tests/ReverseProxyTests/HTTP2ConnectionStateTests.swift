import ProxySettings
import Testing

@testable import ReverseProxy

/// Table tests of each event in each state of a client's HTTP/2 connection.
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

    @Test func `every event in every connection state has its action and next state`() {
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

    @Test func `during a drain requests are taken until the client had time to see GOAWAY`() {
        var connection = state(.ending, streams: 0)
        let (inTime, late) = (
            connection.streamBegan(limit: nil, isLate: false), connection.streamBegan(limit: nil, isLate: true)
        )
        #expect(inTime && !late)
        let open = connection.openStreams
        #expect(open == 1)
        var settled = state(.settled, streams: 0)
        let isTaken = settled.streamBegan(limit: nil, isLate: false)
        #expect(!isTaken)
    }

    @Test func `the last allowed request of a connection starts its shutdown, and the next is refused`() {
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

    @Test func `open streams are counted, and a closed channel is reported once`() {
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

/// Table tests of each event in each state of one request on a stream.
struct HTTP2RequestStateTests {
    enum Stage: Sendable, CaseIterable { case exchange, ending, discarding, reset, closed }

    private func state(_ stage: Stage, inputEnds: Bool = false) -> HTTP2RequestState {
        var made = HTTP2RequestState()
        if inputEnds { made.inputClosed() }
        switch stage {
        case .exchange: break
        case .ending: _ = made.answered(.awaited)
        case .discarding: _ = made.answered(.discarded)
        case .reset: _ = made.reset()
        case .closed: _ = made.closed()
        }
        return made
    }

    @Test(arguments: [
        (Stage.exchange, RestOfRequest.calledOff, false, true), (.exchange, .awaited, false, false),
        (.exchange, .discarded, false, false),
        (.exchange, .calledOff, true, false), (.exchange, .awaited, true, false), (.exchange, .discarded, true, false),
        (.ending, .calledOff, false, false), (.discarding, .calledOff, false, false),
        (.reset, .calledOff, false, false),
        (.closed, .calledOff, false, false),
    ])
    func `a request whose client would wait for the end of the stream is reset after its answer, once`(
        begin: Stage, rest: RestOfRequest, inputEnds: Bool, isCalledOff: Bool
    ) {
        var request = state(begin, inputEnds: inputEnds)
        let result = request.answered(rest)
        #expect(result == isCalledOff)
        #expect(request.isInProgress == false)
    }

    @Test func `an unwanted upload is discarded up to its bound, and reset once beyond it`() {
        var request = state(.discarding)
        let half = request.discarded(FixedLimits.unwantedUpload / 2)
        let whole = request.discarded(FixedLimits.unwantedUpload / 2)
        let isDiscarding = request.isDiscarding
        let beyond = request.discarded(1)
        let (more, late) = (request.discarded(1), request.discardingExpired())
        let continues = request.isDiscarding
        #expect(!half && !whole && isDiscarding && beyond && !more && !late && !continues)
        // A count near the maximum does not overflow.
        var other = state(.discarding)
        let isCalledOff = other.discarded(.max)
        #expect(isCalledOff)
    }

    @Test func `an unwanted upload is reset once at its deadline, unless it has ended`() {
        var request = state(.discarding)
        let (first, second) = (request.discardingExpired(), request.discardingExpired())
        let continues = request.isDiscarding
        #expect(first && !second && !continues)
        var ended = state(.discarding)
        ended.inputClosed()
        let (beyond, late) = (ended.discarded(FixedLimits.unwantedUpload + 1), ended.discardingExpired())
        #expect(!beyond && !late)
    }

    @Test func `only a request being discarded is reset for bytes or time`() {
        for stage in Stage.allCases where stage != .discarding {
            var request = state(stage)
            let (beyond, late) = (request.discarded(.max), request.discardingExpired())
            #expect(!beyond && !late, "\(stage)")
        }
        var whole = HTTP2RequestState()
        whole.inputClosed()
        _ = whole.answered(.discarded)
        let isDiscarding = whole.isDiscarding
        #expect(!isDiscarding)
    }

    @Test(arguments: [
        (Stage.exchange, true, true), (.ending, true, false), (.discarding, true, false), (.reset, false, false),
        (.closed, false, false),
    ])
    func `a stream is reset once, and only a stream in progress has an exchange to end`(
        begin: Stage, mayReset: Bool, wasInProgress: Bool
    ) {
        var one = state(begin)
        let isReset = one.reset()
        #expect(isReset == mayReset)
        var other = state(begin)
        let wasOpen = other.closed()
        #expect(wasOpen == wasInProgress)
    }

    @Test func `the end of a request stream is reported once, and only to an exchange`() {
        var request = state(.exchange)
        let before = request.reportsEnd()
        request.inputClosed()
        let (first, second) = (request.reportsEnd(), request.reportsEnd())
        #expect(!before && first && !second)
        var answered = state(.ending, inputEnds: true)
        let late = answered.reportsEnd()
        #expect(!late)
    }

    @Test func `only a paused stream is resumed when the queue drains`() {
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
