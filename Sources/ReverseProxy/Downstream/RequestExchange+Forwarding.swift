import AccessControl
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import TypedIndices
import UpstreamFleets

/// A permitted request on its way to an upstream.
extension RequestExchange {
    func forward(_ forwarding: Forwarding, at now: Int64) {
        if request.head.contains(.upgrade), configuration.authorizer.allowsWebSockets(record.facts),
            let key = request.head.webSocketKey
        {
            relay.webSocket = WebSocketRequest(
                key: key, offer: configuration.authorizer.edits.protocolOffer(of: request.head))
        }
        guard forwarding.upstream != nil else { return reject(Rejection(.routing(.noResource))) }
        // In HTTP/2 an ordinary answer would be a yes.
        guard !asksByConnect || relay.webSocket != nil else { return reject(Rejection(.message(.methodNotAllowed))) }
        if let limit = configuration.limits.body, let length = carrier?.bodyRest, length > limit {
            return reject(Rejection(.message(.bodyTooLarge)))
        }
        guard enterFlight() else { return reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1))) }
        if relay.streaming != nil {
            let end = configuration.authorizer.streamEnd(of: request, record.facts)
            let isAuthenticated = record.facts?.isAuthenticated ?? false
            relay.streaming?.end = end
            relay.streaming?.isPatient = isAuthenticated
            relay.streaming?.marks = streamMarks
        }
        relay.forwarding = forwarding
        state.permitted()
        tryNextTarget(at: now)
    }

    /// Tries the next target, as soon as one has a place.
    func tryNextTarget(at now: Int64 = EventLoopClock.now()) {
        relay.leaveSeat()
        guard let group = relay.forwarding?.upstream else { return }
        let next = upstreams.nextTarget(
            of: group, in: configuration, avoiding: relay.tried, at: now, caller: relay.forwarding?.spread,
            key: hashKey,
            completion: placeCompletion)
        switch next {
        case .lease(let target): begin(at: target, now)
        case .waits(let fleet, let ticket): awaitPlace(in: fleet, ticket)
        case .replaces(let fleet): awaitPlace(in: fleet, nil)
        case .full:
            noteOverload()
            perform(state.upstreamFailed(.gateway(.overloaded), mayRetry: false))
        case .unavailable:
            record.upstreamError = UnreachableCause.noTarget.text
            perform(state.upstreamFailed(.upstream(.unavailable), mayRetry: false))
        }
    }

    /// Begins an attempt: on an open connection, or on a new one.
    func begin(at target: TargetLease, _ now: Int64) {
        let pool = target.pool
        // A further attempt at one target gets a fresh connection: what befell the first idle one may have befallen
        // all.
        let mayBeReady = relay.attempts == 0 || target.seat.map { !relay.tried.contains($0.choice.target) } ?? false
        (relay.pool, relay.seat) = (pool, target.seat)
        record.upstream = pool.name
        relay.attempts += 1
        relay.attemptStartedAt = now
        if relay.attempts == 1 { record.forwardedAt = now }
        let terms = leaseTerms
        let replaced = relay.seat?.takeReplacement()
        if mayBeReady, let ready = leaseReady(of: pool, terms, replacing: replaced) {
            upstream = ready
            return perform(state.upstreamConnected())
        }
        if !mayBeReady, let replaced { pool.closeOldest(replacing: replaced) }
        // A switch to the WebSocket protocol has a connection of HTTP/1.1.
        guard terms.webSocket != nil || pool.mayConnect(at: now) else {
            return attemptEnded(by: .takesNoRequests(isAsked: false))
        }
        relay.seat?.connectionBegan()
        upstream = UpstreamConnection.connecting(to: pool, on: loop, for: self, terms, configuration)
    }

    /// When one of the targets may be back.
    var returnOfUpstream: Duration {
        let group = relay.forwarding?.upstream.flatMap { configuration.upstreams[$0] }
        return group.flatMap(loop.gateway.fleets.fleet)?.returnsAfter(at: EventLoopClock.now()) ?? .seconds(1)
    }

    /// What the request is hashed by: the value of this field.
    private func hashKey(of name: FieldName) -> UInt64? {
        let section = request.head.section
        guard let field = section.fields.first(where: { section.isNamed($0, name) }) else { return nil }
        return Fleet.key(of: section.bytes.span.extracting(field.value))
    }

    /// Leases an open connection, or a stream on one.
    private func leaseReady(of pool: TargetPool, _ terms: LeaseTerms, replacing choice: FleetChoice?) -> (
        any UpstreamCarrier
    )? {
        if let idle = pool.leaseIdle(to: self, terms, replacing: choice) { return idle }
        // A request of an earlier generation may need other TLS settings; and a switch to the WebSocket protocol starts
        // from HTTP/1.1.
        guard pool.mayHaveSessions, configuration === loop.configuration, terms.webSocket == nil,
            let stream = pool.openStream()
        else { return nil }
        if stream.lease(to: self, terms) { return stream }
        stream.abandon()
        return nil
    }

    private var leaseTerms: LeaseTerms {
        // `TE` is rare, and to ask more than that copies the head.
        LeaseTerms(
            requestIsHEAD: relay.isHEAD, keepsTrailers: request.head.contains(.te) && request.head.acceptsTrailers,
            webSocket: relay.webSocket)
    }

    func upstreamConnected(_ carrier: any UpstreamCarrier, after attempt: any UpstreamCarrier) {
        guard attempt === upstream else { return carrier.abandon() }
        relay.seat?.connectionEnded()
        upstream = carrier
        guard carrier.lease(to: self, leaseTerms) else {
            carrier.abandon()
            return upstreamFailed(.unreachable(.ended), carrier)
        }
        perform(state.upstreamConnected())
        self.carrier?.process()
    }

    func sendHead() {
        guard let connection = upstream, let forwarding = relay.forwarding, let pool = relay.pool,
            let group = forwarding.upstream.flatMap({ configuration.upstreams[$0] })
        else { return perform(state.upstreamFailed(.upstream(.unreachable), mayRetry: false)) }
        let head = UpstreamRequestHead(
            forwarding: forwarding,
            group: group,
            authority: pool.authority,
            edits: configuration.authorizer.edits,
            hop: hop,
            peerIsTrusted: relay.peerIsTrusted,
            requestID: record.requestID,
            webSocket: relay.webSocket
        )
        guard write(head, as: connection.headForm) else {
            return perform(state.upstreamFailed(.message(.badRequest), mayRetry: false))
        }
        state.headSent()
        sendBody(on: connection, behindHead: true)
    }

    /// Writes a head where its carrier looks for it.
    private func write(_ head: borrowing UpstreamRequestHead, as form: UpstreamHeadForm) -> Bool {
        switch form {
        case .text:
            guard head.write(request.head, path: request.path.canonical, into: &loop.headWriter) else { return false }
            loop.outgoing.begin(with: loop.headWriter)
            return true
        case .fields(let scheme):
            loop.fieldWriter.scheme = scheme
            return head.write(request.head, path: request.path.canonical, into: &loop.fieldWriter)
        }
    }

    // MARK: The body

    /// Forwards what was received of the body; false if the upstream does not take it now.
    func relayBody() -> Bool {
        guard state.state == .forwarding(headIsSent: true), let upstream, upstream.isWritable else { return false }
        sendBody(on: upstream)
        return true
    }

    /// Sends what is here of the body.
    ///
    /// - Parameter behindHead: whether the head that was just written goes before it; with it what an earlier attempt
    ///   has sent of the body goes again.
    private func sendBody(on upstream: any UpstreamCarrier, behindHead: Bool = false) {
        guard let carrier else { return }
        var part: BodyPart
        do {
            part = try carrier.takeBody()
        } catch {
            return endByClient(error)
        }
        part.trailers = relayed(part.trailers)
        let held: (content: ByteBuffer?, trailers: [UInt8]) =
            behindHead ? (relay.held.content, relay.held.trailers) : (nil, [])
        if relay.attempts < relay.mostAttempts, upstream.mayRefuse {
            hold(part)
        } else if part.content != nil || held.content != nil {
            relay.held.letGo()
        }
        if var content = held.content {
            if let rest = part.content { content.writeImmutableBuffer(rest) }
            part.content = content
        }
        if part.trailers.isEmpty { part.trailers = held.trailers }
        if part.isLast { state.bodyReceived() }
        arm(part.isLast && !relay.usesStreamIdle ? configuration.deadlines.firstByte : idleTimeout)
        upstream.send(
            part.content, framing: request.head.framing == .chunked ? .chunked : .plain, ends: part.isLast,
            trailers: part.trailers)
    }

    /// Keeps what is sent of the body, in case its upstream does not process it. Past a limit the request goes on, and
    /// is not sent again.
    private func hold(_ part: BodyPart) {
        guard relay.held.isWhole, part.content != nil || !part.trailers.isEmpty else { return }
        guard !loop.gateway.memory.isShort else { return relay.held.letGo() }
        let limits = HeldBody.Limits(each: configuration.limits.replay, total: configuration.limits.replayTotal)
        let budget = loop.gateway.heldBodies
        let loss =
            relay.held.keep(part.content, limits: limits, budget: budget)
            ?? relay.held.keep(trailers: part.trailers, limits: limits, budget: budget)
        loop.tookMemory((part.content?.readableBytes ?? 0) + part.trailers.count)
        if loss == .budgetSpent { loop.gateway.met(.replayTotal) }
    }

    /// Memory is short: what the request does not need is let go of.
    func memoryIsShort() {
        if relay.held.purpose.isDispensable { relay.held.letGo() }
    }

    /// More of the response is read if there is memory for it now, or the client has taken what there was.
    func followMemory() {
        upstream?.resumeReading()
    }

    /// The request's body is at fault: its upstream never sees a complete request.
    private func endByClient(_ rejection: RejectedBody) {
        loop.outgoing.discard()
        carrier?.discardInput()
        perform(state.upstreamFailed(rejection.reason, mayRetry: false))
    }

    func upstreamBecameWritable() {
        if !state.requestEnded { arm(idleTimeout) }
        carrier?.process()
    }

    // MARK: Failures

    func upstreamFailed(_ failure: UpstreamFailure, _ carrier: any UpstreamCarrier) {
        guard carrier === upstream, relay.forwarding != nil else { return }
        upstream = nil
        attemptEnded(by: failure)
        self.carrier?.process()
    }

    /// There is another attempt, or the client hears of the failure.
    private func attemptEnded(by failure: UpstreamFailure) {
        attemptFailed(failure)
        record.upstreamError = failure.text
        let mayRetry = !state.responseBegan && mayRetry(after: failure)
        if state.responseBegan { record.reason = failure.reason }
        perform(state.upstreamFailed(failure.reason, mayRetry: mayRetry))
    }

    /// Whether the file and what was sent allow another attempt.
    private func mayRetry(after failure: UpstreamFailure) -> Bool {
        guard let upstream = relay.forwarding?.upstream, let retries = configuration.upstreams[upstream]?.fleet.retries
        else {
            return false
        }
        let isReplayable =
            request.head.framing == .none && retries.methods.contains(request.head.string(request.head.method))
        let isHeld = relay.held.isWhole && configuration.limits.replay > 0
        guard let seat = relay.seat else {
            return relay.attempts < relay.mostAttempts
                && retries.allow(failure.attempt, isReplayable: isReplayable, isHeld: isHeld)
        }
        return seat.fleet.retries(
            failure.attempt, after: relay.attempts, isReplayable: isReplayable, isHeld: isHeld, at: EventLoopClock.now()
        )
    }

    // MARK: Attempts

    /// The present attempt has a response head.
    func attemptAnswered(_ status: Int, at now: Int64) {
        guard let startedAt = relay.attemptStartedAt, let pool = relay.pool else { return }
        relay.attemptStartedAt = nil
        let duration = now &- startedAt
        if let outcome = UpstreamOutcome(status: status) { loop.attempts.answered(pool.row, outcome, after: duration) }
        // Not the seat, which would be copied.
        guard let fleet = relay.seat?.fleet, let choice = relay.seat?.choice else { return }
        fleet.answered(choice, status: status, fleetRequest(status), after: duration, at: now)
    }

    private func fleetRequest(_ status: Int) -> FleetRequest {
        let rule =
            configuration.generation &<< 32 | configuration.labels.row(record.facts?.rule, of: record.facts?.resource)
        // Who the client is counts for a failure alone, and takes a while to find out.
        guard status >= 500, let client = hop.address.client(of: request.head, configuration).address else {
            return FleetRequest(rule: rule, client: ClientKey(high: 0, low: 0))
        }
        return FleetRequest(rule: rule, client: ClientKey(high: client.high, low: client.low))
    }

    /// The present attempt will have none; nothing is counted if it had its outcome before.
    func attemptFailed(_ failure: UpstreamFailure) { attemptFailed(failure.outcome, failure.fleetFailure) }

    func attemptFailed(_ outcome: UpstreamOutcome) { attemptFailed(outcome, outcome.fleetFailure) }

    private func attemptFailed(_ outcome: UpstreamOutcome, _ failure: FleetFailure?) {
        guard relay.attemptStartedAt != nil, let pool = relay.pool else { return }
        relay.attemptStartedAt = nil
        loop.attempts.failed(pool.row, outcome)
        if let seat = relay.seat, let failure {
            seat.fleet.failed(seat.choice, failure, at: EventLoopClock.now())
        }
    }

    /// What an upstream is late with.
    enum Awaited { case requestBody, response, restOfResponse }

    /// Which time-out of the file passed, and what for.
    func lateness(_ awaited: Awaited) -> String {
        if relay.usesStreamIdle { return "nothing was received or taken within stream_idle" }
        return switch awaited {
        case .requestBody: "the body of the request was not taken within body_idle"
        case .response: "no response within first_byte"
        case .restOfResponse: "no more of the response within body_idle"
        }
    }
}
