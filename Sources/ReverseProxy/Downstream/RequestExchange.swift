import AuthorizationDoors
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// One request after another, each with its response: judged, forwarded and relayed, over any HTTP version.
///
/// It carries out what its ``ExchangeState`` says. Its parts, in the order of a request's life: `+Judging`,
/// `+Forwarding`, `+Responses`, `+Tunnel`. Confined to its event loop, like carrier and upstream connection.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class RequestExchange: UpstreamLessee {
    let loop: LoopServices
    let upstreams: Upstreams
    @safe @exclusivity(unchecked) private(set) var hop: DownstreamHop
    /// Nil once the client is gone.
    @safe @exclusivity(unchecked) private(set) var carrier: (any RequestCarrier)?
    @safe @exclusivity(unchecked) var state = ExchangeState()

    @safe @exclusivity(unchecked) var request = AuthorizationRequest(head: RequestExchange.emptyHead)
    @safe @exclusivity(unchecked) var record: RequestRecord
    @safe @exclusivity(unchecked) var relay = RelayProgress()
    /// The carrier of the present request upstream.
    @safe @exclusivity(unchecked) var upstream: (any UpstreamCarrier)?
    @safe @exclusivity(unchecked) var pendingAnswer: Task<Void, Never>?
    /// The tick of the next time-out; the state decides which it is.
    @safe @exclusivity(unchecked) var deadline: UInt64 = .max

    /// No head: what there is between two requests.
    static let emptyHead = RequestHeadParser().head

    init(on loop: LoopServices, _ upstreams: Upstreams, hop: DownstreamHop) {
        self.loop = loop
        self.upstreams = upstreams
        self.hop = hop
        record = loop.makeRecord()
    }

    /// Begins with the requests of a carrier.
    func begin(on carrier: any RequestCarrier, hop: DownstreamHop) {
        self.carrier = carrier
        self.hop = hop
    }

    var configuration: ProxyConfiguration { record.configuration }

    /// The client, as far as it is known: for logs and limits.
    var client: (text: [UInt8], address: IPAddress?) {
        guard let door = hop.door else { return hop.address.client(of: request.head, configuration) }
        guard door.kind.asksByMessage else { return hop.address.stated(in: request.head, configuration) }
        return relay.statedClient?.client(of: request.head, configuration) ?? (hop.address.peer, nil)
    }

    /// While memory is short the client has to have taken everything.
    var isWritable: Bool {
        guard let carrier else { return true }
        return switch loop.gateway.memory.level {
        case .ample: carrier.isWritable
        case .short: carrier.unwrittenBytes == 0
        case .out: false
        }
    }

    /// The longest gap between two parts of a body.
    var idleTimeout: TickCount {
        relay.usesStreamIdle ? configuration.deadlines.streamIdle : configuration.deadlines.bodyIdle
    }

    func arm(_ time: TickCount) {
        deadline = loop.clock.tick(after: time)
    }

    // MARK: Actions

    /// Carries out what an event leads to.
    func perform(_ action: ExchangeState.Action) {
        switch action {
        case .none: break
        case .judge: judge(at: EventLoopClock.now())
        case .sendHead: sendHead()
        case .retry: tryNextTarget()
        // It did nothing with this one, so it may accept it a little later.
        case .answer(.upstream(.refused)): reject(Rejection(.upstream(.refused), retryAfter: .seconds(1)))
        case .answer(.upstream(.unavailable)): reject(Rejection(.upstream(.unavailable), retryAfter: returnOfUpstream))
        case .answer(.gateway(.overloaded)): reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)))
        case .answer(let reason): reject(Rejection(reason))
        case .abort: carrier?.abort()
        case .endResponse(let reason): endResponse(reason)
        case .openTunnel: openTunnel()
        case .endTunnel(let reason): endTunnel(.refused(reason))
        case .halfCloseTunnel: halfCloseTunnel()
        case .close: carrier?.close()
        case .finish: finish()
        case .cutOff:
            record.isCutOff = true
            finish()
        }
    }

    // MARK: Time

    func tick(_ tick: UInt64) {
        if isStarvedByClient(at: tick) {
            loop.gateway.met(.bodyRate)
            deadline = tick
        }
        if relay.streaming != nil { tickStream() }
        guard deadline <= tick else { return }
        deadline = .max
        let stalls = state.state == .forwarding(headIsSent: true) && upstream?.isWritable == false
        let action = state.deadlinePassed(upstreamStalls: stalls)
        if loop.memoryWasShort, let refusal = refusal(inPlaceOf: action) {
            perform(refusal)
            carrier?.process()
            return
        }
        if action == .answer(.upstream(.timeout)) {
            attemptFailed(.responseTimeout)
            record.upstreamError = lateness(stalls ? .requestBody : .response)
            upstream?.doubtSession()
        }
        // Nothing is left for the client to take, so it is the upstream that is late.
        if action == .abort, carrier?.unwrittenBytes == 0 {
            record.reason = .upstream(.timeout)
            record.upstreamError = lateness(.restOfResponse)
        }
        perform(action)
        carrier?.process()
    }

    /// What becomes of a time-out that passed while neither side was read: nobody was late.
    private func refusal(inPlaceOf action: ExchangeState.Action) -> ExchangeState.Action? {
        if action == .answer(.upstream(.timeout)) || action == .answer(.message(.requestTimeout)) {
            loop.gateway.met(.memory)
            return .answer(.gateway(.overloaded))
        }
        guard action == .abort, carrier?.unwrittenBytes == 0 else { return nil }
        loop.gateway.met(.memory)
        record.reason = .gateway(.overloaded)
        return .abort
    }

    private func tickStream() {
        let now = EventLoopClock.now()
        if let reason = relay.streaming?.ending(at: now, date: loop.clock.date(at: now)) {
            endStream(reason)
        } else if let end = relay.streaming?.webSocketEnd {
            endTunnel(end)
        }
    }

    private func endStream(_ reason: RejectionReason) {
        let action = state.streamExpired(reason, mayEndEarly: carrier?.mayEndEarly ?? false)
        // It may have to wait for keys longer than its client waits.
        if case .answer = action { pendingAnswer?.cancel() }
        if action == .abort { record.reason = reason }
        perform(action)
    }

    // MARK: The deny list

    /// What is kept of the token of a stream that begins; nil where no request is asked about too, and the token is
    /// read once a list is there.
    var streamMarks: StreamMarks? {
        guard configuration.authorizer.hasDenyList else { return nil }
        return readMarks
    }

    private var readMarks: StreamMarks? {
        configuration.authorizer.denyMarks(of: request, record.facts).map { StreamMarks($0) }
    }

    /// Ends what a token opened that is denied by now. Whatever else is under way ends as it would.
    func judgeStream() {
        guard relay.streaming != nil, configuration.authorizer.mayDenyStreams else { return }
        if relay.streaming?.marks == nil { relay.streaming?.marks = readMarks }
        guard let marks = relay.streaming?.marks,
            configuration.authorizer.denies(marks.value, at: loop.clock.date(at: EventLoopClock.now()))
        else { return }
        endStream(.token(.denied))
    }

    /// The deny list changed.
    func denialsChanged() {
        guard relay.streaming != nil else { return }
        judgeStream()
        carrier?.process()
    }

    /// Whether the client sends its body more slowly than it may; time in which the upstream does not read is not
    /// counted.
    private func isStarvedByClient(at tick: UInt64) -> Bool {
        // A client that waits for 100 need not send, and one that is answered already may have stopped (RFC 9110
        // §10.1.1, RFC 9112 §9.5).
        let isOwed =
            !relay.usesStreamIdle && state.reading == .body && !state.responseBegan
            && (!request.head.expectsContinue || (carrier?.bodyByteCount ?? 0) > 0)
        guard isOwed, upstream?.isWritable == true, !loop.memoryWasShort else {
            relay.bodyRate = BodyRate()
            return false
        }
        guard let least = configuration.leastBodyRate else { return false }
        return relay.bodyRate.isTooLow(byteCount: record.bytesIn, least: least, at: tick)
    }

    // MARK: The client

    /// The client takes more of the answer.
    func clientBecameWritable() {
        guard let upstream else { return }
        if state.responseBegan { arm(idleTimeout) }
        upstream.resumeReading()
    }

    /// The client ended its side.
    ///
    /// - Parameter isEmpty: whether everything that it sent is consumed.
    func clientInputEnded(isEmpty: Bool) {
        perform(state.inputEnded(isEmpty: isEmpty))
    }

    // MARK: Ends

    /// Records the request and releases what it held.
    private func finish() {
        leaveFlight()
        attemptFailed(.abandoned)
        // Where the upstream's answer has just ended, the clock was read for that.
        let now = record.upstreamEndedAt ?? EventLoopClock.now()
        loop.requestEnded(record, at: now)
        if let door = hop.door { loop.count(record, at: door) }
        if loop.logsRequests, !record.isUnlogged {
            let client = record.hasHead ? client.text : hop.address.peer
            loop.log(record, request, client: client, at: now)
        }
        // This also releases the token, whose claims would otherwise be kept for as long as the connection is idle.
        record.facts = nil
        relay.message?.letGo()
        relay.forwarding = nil
        relay.webSocket = nil
        relay.pool = nil
        relay.place?.leave()
        relay.place = nil
        relay.leaveSeat()
        relay.held.letGo()
        deadline = .max
    }

    func abandonUpstream() {
        let connection = upstream
        upstream = nil
        if let seat = relay.seat, seat.isConnecting, let connecting = connection as? UpstreamConnection {
            relay.seat = nil
            connecting.inherit(seat, isCounted: relay.attemptStartedAt == nil)
        }
        connection?.abandon()
    }

    /// The gateway drains. A tunnel has no end of its own that could be waited for.
    func drain() {
        if state.state == .tunnel { endTunnel(.goingAway) }
    }

    /// The client's connection or stream is gone.
    func clientGone() {
        pendingAnswer?.cancel()
        pendingAnswer = nil
        let action = state.clientGone()
        abandonUpstream()
        perform(action)
        deadline = .max
        end()
    }

    /// The carrier carries no more requests.
    func end() { carrier = nil }

    /// Forgets what the client sent, and gives all storage of it back.
    func releaseStorage() {
        request = AuthorizationRequest(head: Self.emptyHead)
    }

    /// Forgets what the client sent, and gives parsing storage back if it is more than an ordinary head needs.
    func forgetRequest() {
        if request.head.bytes.capacity > Self.ordinaryHead { releaseStorage() } else { request.head.removeAll() }
    }

    private static let ordinaryHead = 8 * 1024
}

@available(*, unavailable)
extension RequestExchange: Sendable {}
