import AccessControl
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import Telemetry
import TokenVerification
import UpstreamFleets

/// A permitted request on its way to an upstream, and the response on its way back.
///
/// It performs the actions of its ``ForwardingState``. Part of an exchange and reused for its requests, one after
/// another. Confined to its event loop.
final class ForwardedRequest: UpstreamLessee {
    let exchange: RequestExchange
    let loop: LoopServices
    let upstreams: Upstreams
    @safe @exclusivity(unchecked) var state = ForwardingState()
    @safe @exclusivity(unchecked) var forwarding: Forwarding?
    /// Upstream connection or stream of the current attempt. Nil if no attempt is under way.
    @safe @exclusivity(unchecked) var upstream: (any UpstreamCarrier)?
    @safe @exclusivity(unchecked) var attempts = UpstreamAttempts()
    /// The wait for a slot. Nil unless all slots are taken.
    @safe @exclusivity(unchecked) var wait: SlotWait?
    /// Part of the body that was sent, held so that another attempt can send it again.
    @safe @exclusivity(unchecked) var held = HeldBody()
    /// Slot among the requests in flight. Nil before the request is forwarded, and after it has ended.
    @safe @exclusivity(unchecked) var flight: InFlightSlot?
    /// WebSocket handshake of the request. Nil if it is not one, or its resource does not allow WebSockets.
    @safe @exclusivity(unchecked) var webSocket: WebSocketRequest?

    init(of exchange: RequestExchange, _ upstreams: Upstreams) {
        self.exchange = exchange
        loop = exchange.loop
        self.upstreams = upstreams
    }

    var requestEnded: Bool { state.requestEnded }
    var isAnswering: Bool { state.state == .answering }
    var responseBegan: Bool { state.state == .answering || state.state == .tunnel }
    var upstreamIsWritable: Bool { upstream?.isWritable == true }
    /// Subprotocols that the client offers for a WebSocket. Nil to accept any choice of the upstream.
    var protocolOffer: ProtocolOffer? { webSocket?.offer }

    var reading: RequestReading { state.readsBody ? .body : state.state == .tunnel ? .tunnel : .held }

    /// Performs the action that an event returned.
    func perform(_ action: ForwardingState.Action) {
        switch action {
        case .none: break
        case .sendHead: sendHead()
        case .retry: tryNextTarget()
        // An upstream that did nothing with this request may accept it a little later.
        case .answer(let reason): exchange.reject(Rejection(reason, retryAfter: retryTime(reason)))
        case .abort: exchange.carrier?.abort()
        case .endResponse(let reason): endResponse(reason)
        case .openTunnel: openTunnel()
        case .endTunnel(let reason): endTunnel(.refused(reason))
        case .halfCloseTunnel: halfCloseTunnel()
        case .close: exchange.carrier?.close()
        case .finish: finish()
        case .cutOff:
            exchange.record.isCutOff = true
            finish()
        case .unexpected: exchange.unexpected()
        }
    }

    /// Counts an event that the state did not expect. For events that lead to no action.
    @inline(__always)
    func note(_ action: ForwardingState.Action) {
        if case .unexpected = action { exchange.unexpected() }
    }

    /// Value of `Retry-After`. Nil if the answer has none.
    private func retryTime(_ reason: RejectionReason) -> Duration? {
        switch reason {
        case .upstream(.refused), .gateway(.overloaded): return .seconds(1)
        case .upstream(.unavailable):
            let group = forwarding?.upstream.flatMap { exchange.configuration.upstreams[$0] }
            return group.flatMap(loop.gateway.fleets.fleet)?.returnsAfter(at: EventLoopClock.now()) ?? .seconds(1)
        default: return nil
        }
    }

    // MARK: The beginning

    /// Begins forwarding a request, or rejects it if its form or a limit forbids forwarding.
    ///
    /// - Parameters:
    ///   - body: Part of its body that was held for the verdict.
    ///   - requestEnded: True if the held part is the whole body, or there is no body.
    func begin(_ forwarding: consuming Forwarding, _ body: consuming HeldBody, requestEnded: Bool, at now: Int64) {
        let authorizer = exchange.configuration.authorizer
        var webSocket: WebSocketRequest?
        if exchange.request.head.contains(.upgrade), authorizer.allowsWebSockets(exchange.record.facts),
            let key = exchange.request.head.webSocketKey
        {
            webSocket = WebSocketRequest(key: key, offer: authorizer.edits.protocolOffer(of: exchange.request.head))
        }
        guard forwarding.upstream != nil else { return exchange.reject(Rejection(.routing(.noResource))) }
        // For extended CONNECT any 2xx would mean that the protocol was switched.
        guard !exchange.asksByConnect || webSocket != nil else {
            return exchange.reject(Rejection(.message(.methodNotAllowed)))
        }
        if let limit = exchange.bodyLimit, let length = exchange.carrier?.bodyRest, length > limit {
            return exchange.reject(Rejection(.message(.bodyTooLarge)))
        }
        guard let flight = exchange.enterFlight() else {
            return exchange.reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)))
        }
        if exchange.streaming != nil {
            exchange.streaming?.end = authorizer.streamEnd(of: exchange.request, exchange.record.facts)
            exchange.streaming?.isPatient = exchange.record.facts?.isAuthenticated ?? false
            exchange.streaming?.marks = exchange.streamMarks
        }
        self.flight = flight
        self.forwarding = consume forwarding
        self.webSocket = webSocket
        held = body
        exchange.forwardingBegan()
        note(state.permitted(requestEnded: requestEnded))
        tryNextTarget(at: now)
    }

    // MARK: Attempts

    /// Tries the next target, once one has a slot.
    func tryNextTarget(at now: Int64 = EventLoopClock.now()) {
        attempts.leaveSeat()
        guard let group = forwarding?.upstream else { return }
        let next = upstreams.nextTarget(
            of: group, in: exchange.configuration, avoiding: attempts.tried, at: now, caller: forwarding?.spread,
            key: hashKey, completion: slotCompletion)
        switch next {
        case .lease(let target): begin(at: target, now)
        case .waits(let fleet, let ticket): awaitSlot(in: fleet, ticket)
        case .replaces(let fleet): awaitSlot(in: fleet, nil)
        case .full:
            noteOverload()
            perform(state.upstreamFailed(.gateway(.overloaded), mayRetry: false))
        case .unavailable:
            exchange.record.upstreamError = UnreachableCause.noTarget.text
            perform(state.upstreamFailed(.upstream(.unavailable), mayRetry: false))
        }
    }

    /// Begins an attempt at a target, on an open connection or a new one.
    func begin(at target: TargetLease, _ now: Int64) {
        let pool = target.pool
        let isRecorded = exchange.record.trace?.isRecorded
        let mayBeReady = attempts.begin(
            at: target, now, isTraced: isRecorded != nil,
            isRecorded == true ? SpanID(loop.requestIDs.next()) : nil)
        exchange.record.upstream = pool.name
        if attempts.count == 1 { exchange.record.forwardedAt = now }
        let terms = leaseTerms
        let replaced = attempts.takeReplacement()
        if mayBeReady, let ready = leaseReady(of: pool, terms, replacing: replaced) {
            upstream = ready
            return perform(state.upstreamConnected())
        }
        if !mayBeReady, let replaced { pool.closeOldest(replacing: replaced) }
        // A WebSocket handshake needs its own HTTP/1.1 connection.
        guard terms.webSocket != nil || pool.mayConnect(at: now) else {
            return attemptEnded(by: .takesNoRequests(isAsked: false))
        }
        attempts.connectionBegan()
        upstream = UpstreamConnection.connecting(to: pool, on: loop, for: self, terms, exchange.configuration)
    }

    /// Hash of the field by which requests are distributed. Nil if the request does not have the field.
    private func hashKey(of name: FieldName) -> UInt64? {
        let section = exchange.request.head.section
        guard let field = section.fields.first(where: { section.isNamed($0, name) }) else { return nil }
        return Fleet.key(of: section.bytes.span.extracting(field.value))
    }

    /// Leases an open connection, or a stream on one. Nil if none is available.
    private func leaseReady(of pool: TargetPool, _ terms: LeaseTerms, replacing choice: FleetChoice?) -> (
        any UpstreamCarrier
    )? {
        if let idle = pool.leaseIdle(to: self, terms, replacing: choice) { return idle }
        // A request of an earlier generation may need other TLS settings. A WebSocket handshake needs HTTP/1.1.
        guard pool.mayHaveSessions, exchange.configuration === loop.configuration, terms.webSocket == nil,
            let stream = pool.openStream()
        else { return nil }
        if stream.lease(to: self, terms) { return stream }
        stream.abandon()
        return nil
    }

    private var leaseTerms: LeaseTerms {
        // `TE` is rare. The check for the field avoids copying the head.
        LeaseTerms(
            requestIsHEAD: exchange.isHEAD,
            keepsTrailers: exchange.request.head.contains(.te) && exchange.request.head.acceptsTrailers,
            webSocket: webSocket)
    }

    func upstreamConnected(_ carrier: any UpstreamCarrier, after attempt: any UpstreamCarrier) {
        guard attempt === upstream else { return carrier.abandon() }
        attempts.connectionEnded()
        upstream = carrier
        guard carrier.lease(to: self, leaseTerms) else {
            carrier.abandon()
            return upstreamFailed(.unreachable(.ended), carrier)
        }
        perform(state.upstreamConnected())
        exchange.carrier?.process()
    }

    func upstreamFailed(_ failure: UpstreamFailure, _ carrier: any UpstreamCarrier) {
        guard carrier === upstream, forwarding != nil else { return }
        upstream = nil
        attemptEnded(by: failure)
        exchange.carrier?.process()
    }

    /// Handles a failed attempt: tries again, or answers the client.
    private func attemptEnded(by failure: UpstreamFailure) {
        attempts.failed(failure, in: loop.attempts)
        exchange.record.upstreamError = failure.text
        if responseBegan { exchange.record.reason = failure.reason }
        perform(state.upstreamFailed(failure.reason, mayRetry: !responseBegan && mayRetry(after: failure)))
    }

    private func mayRetry(after failure: UpstreamFailure) -> Bool {
        let (head, configuration) = (exchange.request.head, exchange.configuration)
        guard let retries = forwarding?.upstream.flatMap({ configuration.upstreams[$0] })?.fleet.retries else {
            return false
        }
        return attempts.mayRetry(
            retries, after: failure.attempt,
            isReplayable: head.framing == .none && retries.methods.contains(head.string(head.method)),
            isHeld: held.isWhole && configuration.limits.replay > 0)
    }

    // MARK: The request

    private func sendHead() {
        guard let upstream, let forwarding, let pool = attempts.pool,
            let group = forwarding.upstream.flatMap({ exchange.configuration.upstreams[$0] })
        else { return perform(state.upstreamFailed(.upstream(.unreachable), mayRetry: false)) }
        let head = UpstreamRequestHead(
            forwarding: forwarding,
            group: group,
            authority: pool.authority,
            edits: exchange.configuration.authorizer.edits,
            hop: exchange.hop,
            peerIsTrusted: exchange.peerIsTrusted,
            requestID: exchange.record.requestID,
            trace: forwardedTrace,
            bodyIsHere: held.purpose == .verdict,
            webSocket: webSocket
        )
        guard write(head, as: upstream.headForm) else {
            return perform(state.upstreamFailed(.message(.badRequest), mayRetry: false))
        }
        note(state.headSent())
        sendBody(on: upstream, behindHead: true)
    }

    /// Trace fields for the current attempt.
    private var forwardedTrace: ForwardedTrace {
        exchange.record.trace?.forwarded(under: attempts.spans?.last.span) ?? .received
    }

    /// Writes the request head in the form that the upstream carrier needs.
    private func write(_ head: borrowing UpstreamRequestHead, as form: UpstreamHeadForm) -> Bool {
        let path = exchange.request.path.canonical
        switch form {
        case .text:
            guard head.write(&exchange.request.head, path: path, into: &loop.headWriter) else { return false }
            loop.outgoing.begin(with: &loop.headWriter)
            return true
        case .fields(let scheme):
            loop.fieldWriter.scheme = scheme
            return head.write(&exchange.request.head, path: path, into: &loop.fieldWriter)
        }
    }

    /// Forwards received parts of the body. False if the upstream does not take them now.
    func relayBody() -> Bool {
        guard state.state == .sending || state.state == .answering, let upstream, upstream.isWritable else {
            return false
        }
        sendBody(on: upstream)
        return true
    }

    /// Sends the received part of the body.
    ///
    /// - Parameter behindHead: True if the head was just written and is sent first. The held body follows it: content
    ///   that an earlier attempt sent, or that the verdict needed.
    private func sendBody(on upstream: any UpstreamCarrier, behindHead: Bool = false) {
        guard let carrier = exchange.carrier else { return }
        var part: BodyPart
        do {
            part = try carrier.takeBody()
        } catch {
            return endByClient(error)
        }
        part.trailers = relayed(part.trailers)
        let before: (content: ByteBuffer?, trailers: [UInt8]) =
            behindHead ? (held.content, held.trailers) : (nil, [])
        if attempts.mayFollow, upstream.mayRefuse {
            hold(part)
        } else if part.content != nil || before.content != nil {
            held.letGo()
        }
        if var content = before.content {
            if let rest = part.content { content.writeImmutableBuffer(rest) }
            part.content = content
        }
        if part.trailers.isEmpty { part.trailers = relayed(before.trailers) }
        if part.isLast { note(state.bodyReceived()) }
        exchange.arm(
            part.isLast && !exchange.usesStreamIdle
                ? exchange.firstByteTimeout : exchange.idleTimeout)
        upstream.send(
            part.content, framing: exchange.request.head.framing == .chunked ? .chunked : .plain, ends: part.isLast,
            trailers: part.trailers)
    }

    /// Keeps a copy of a body part, in case its upstream does not process it. Beyond a limit the copy is dropped, and
    /// the request cannot be sent again.
    private func hold(_ part: BodyPart) {
        guard held.isWhole, part.content != nil || !part.trailers.isEmpty else { return }
        guard !loop.gateway.memory.isShort else { return held.letGo() }
        let limits = exchange.configuration.limits
        let loss = held.keep(
            part, limits: HeldBody.Limits(each: limits.replay, total: limits.replayTotal),
            budget: loop.gateway.heldBodies)
        loop.tookMemory(part.byteCount)
        if loss == .budgetSpent { loop.gateway.met(.replayTotal) }
    }

    /// Ends the request because its body is invalid. The upstream never receives a complete request.
    private func endByClient(_ rejection: RejectedBody) {
        loop.outgoing.discard()
        exchange.carrier?.discardInput()
        perform(state.upstreamFailed(rejection.reason, mayRetry: false))
    }

    func upstreamBecameWritable() {
        if !state.requestEnded { exchange.arm(exchange.idleTimeout) }
        exchange.carrier?.process()
    }

    // MARK: Ends

    func inputEnded(isEmpty: Bool) { perform(state.inputEnded(isEmpty: isEmpty)) }

    /// Called when the gateway drains. Closes a WebSocket, which could otherwise stay open without limit.
    func drain() { endTunnel(.goingAway) }

    /// Called when the gateway answers in place of the upstream.
    func answered() {
        note(state.answered())
        abandonUpstream()
        letGo()
    }

    func clientGone() {
        let action = state.clientGone()
        abandonUpstream()
        perform(action)
    }

    private func finish() {
        letGo()
        exchange.forwardingEnded(requestEnded: state.requestEnded)
    }

    func abandonUpstream() {
        let carrier = upstream
        upstream = nil
        attempts.handSeat(to: carrier)
        carrier?.abandon()
    }

    /// Releases all resources of the request.
    private func letGo() {
        if let slot = flight.take() {
            loop.gateway.requestsInFlight.leave(slot.share)
            loop.gateway.requestsInFlight.letGo(of: slot)
        }
        attempts.failed(.abandoned, in: loop.attempts)
        if let spans = attempts.spans { exchange.record.trace?.attempts = spans }
        forwarding = nil
        webSocket = nil
        wait?.leave()
        wait = nil
        attempts.leaveSeat()
        attempts = UpstreamAttempts()
        held.letGo()
    }
}

@available(*, unavailable)
extension ForwardedRequest: Sendable {}
