import HTTPMessages
import NIOCore
import ProxySettings

/// One HTTP/1.1 connection to an upstream. It carries one request at a time, for its current lessee.
///
/// It executes the actions of its ``UpstreamState``, and holds bytes, channel and lessee. If the upstream turns out to
/// speak HTTP/2 while connecting, the request is handed over to a session.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class UpstreamConnection: ChannelDuplexHandler, UpstreamCarrier {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let pool: TargetPool
    let loop: LoopServices
    let limits: HeadLimits
    /// Tick from which an idle connection is closed.
    @safe @exclusivity(unchecked) private(set) var idleDeadline: UInt64 = .max
    /// Time until which the connection may carry another request, by the idle timeout that the upstream announced.
    /// Monotonic, in nanoseconds; `.max` if none was announced.
    @safe @exclusivity(unchecked) private var reuseEnd: Int64 = .max
    /// Terms of the request that the connection carries or is opened for.
    @safe @exclusivity(unchecked) private(set) var terms: LeaseTerms
    @safe @exclusivity(unchecked) private var lessee: (any UpstreamLessee)?
    @safe @exclusivity(unchecked) private var state = UpstreamState()
    @safe @exclusivity(unchecked) private var channelEnd: ChannelEnd?
    /// Slot at the target, left by a request that gave up while the connection was being made. Nil if no request left
    /// one, and after the attempt.
    @safe @exclusivity(unchecked) private var seat: FleetSeat?
    @safe @exclusivity(unchecked) private var isAttemptCounted = false

    @safe @exclusivity(unchecked) private var parser: ResponseHeadParser
    @safe @exclusivity(unchecked) private var body: BodyReader
    /// Partial response head, kept until the rest arrives.
    @safe @exclusivity(unchecked) private var input = ByteBuffer()
    @safe @exclusivity(unchecked) private var readIsHeld = false
    @safe @exclusivity(unchecked) private var lastReadWasFull = false
    /// Watch on the sizes of socket reads below TLS. Nil without TLS.
    @safe @exclusivity(unchecked) var fullReads: FullReadWatch?

    init(
        to pool: TargetPool, on loop: LoopServices, for lessee: any UpstreamLessee, _ terms: LeaseTerms,
        limits: HeadLimits
    ) {
        self.pool = pool
        self.loop = loop
        self.lessee = lessee
        self.terms = terms
        self.limits = limits
        parser = ResponseHeadParser(limits: limits)
        body = BodyReader(ResponseBodyFraming.none, trailerFields: limits.fields)
    }

    // MARK: For the lessee

    func lease(to lessee: any UpstreamLessee, _ terms: LeaseTerms) -> Bool {
        guard let end = channelEnd, end.channel.isActive else { return false }
        guard reuseEnd == .max || EventLoopClock.now() < reuseEnd else {
            close()
            return false
        }
        guard state.lease() else { return false }
        self.lessee = lessee
        self.terms = terms
        idleDeadline = .max
        parser.reset()
        return true
    }

    var headForm: UpstreamHeadForm { .text }

    var mayRefuse: Bool { false }

    var isWritable: Bool { channelEnd?.isWritable ?? false }

    func send(_ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8]) {
        guard let end = channelEnd else { return loop.outgoing.discard() }
        if ends { state.requestSent() }
        _ = loop.outgoing.send(content, framing: framing, ends: ends, trailers: trailers, to: end)
    }

    func sendRaw(_ bytes: ByteBuffer) { channelEnd?.send(bytes) }

    func endTunnelOutput() {
        channelEnd?.context.close(mode: .output, promise: nil)
    }

    func endTunnel(_ lastBytes: ByteBuffer) {
        lessee = nil
        sendRaw(lastBytes)
        endTunnelOutput()
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        loop.eventLoop.scheduleTask(in: TimeAmount(FixedLimits.tunnelFarewell)) { bound.value.close() }
        resumeReading()
    }

    func resumeReading() {
        guard readIsHeld, mayRead, let end = channelEnd else { return }
        readIsHeld = false
        end.read()
    }

    func abandon() {
        lessee = nil
        perform(state.abandoned())
    }

    /// Does nothing. An HTTP/1.1 connection is no session, and closes with its request.
    func doubtSession() {}

    func close() {
        channelEnd?.context.close(promise: nil)
    }

    /// Closes the connection without waiting for the upstream's TLS close. The request that gets its slot may connect
    /// at once.
    func closeAtOnce() {
        channelEnd?.context.channel.closeAtOnce()
    }

    // MARK: Connecting

    /// Takes over the slot of a request that gives up while the connection is being made.
    ///
    /// The slot is held until the attempt ends, and the fleet still learns of a failure. Otherwise a target that
    /// silently drops connections would stay in rotation, because clients give up before the `connect` timeout.
    ///
    /// - Parameter isCounted: whether the fleet has already recorded this attempt when its request ended.
    func inherit(_ seat: FleetSeat, isCounted: Bool) {
        (self.seat, isAttemptCounted) = (seat, isCounted)
    }

    private func leaveSeat() {
        var seat = seat.take()
        seat?.leave()
    }

    /// Called when the channel is connected and this is its handler.
    func connected() {
        perform(state.connected())
        leaveSeat()
    }

    /// Gives the waiting request a stream of a session, because the upstream speaks HTTP/2.
    ///
    /// - Parameter isShared: whether the session existed before this connection.
    func handOver(to session: UpstreamSession, isShared: Bool) {
        guard state.handedOver() == .announce, let lessee = release() else { return leaveSeat() }
        guard let stream = session.open(isShared: isShared) else {
            return lessee.upstreamFailed(.unreachable(.ended), self)
        }
        lessee.upstreamConnected(stream, after: self)
    }

    func connectFailed(_ failure: UpstreamFailure) {
        perform(state.connectFailed(failure))
        if let seat, !isAttemptCounted, let failed = failure.fleetFailure {
            seat.fleet.failed(seat.choice, failed, at: EventLoopClock.now())
        }
        leaveSeat()
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { channelEnd = ChannelEnd(context) }

    func handlerRemoved(context: ChannelHandlerContext) { channelEnd = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        loop.tookMemory(received.storageCapacity)
        // A read that filled its buffer may have left bytes in the kernel. After a response, those are surplus.
        lastReadWasFull = fullReads?.lastReadWasFull ?? (received.writableBytes == 0)
        perform(state.bytesReceived(), received)
        if mayRead { channelEnd?.readOn() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        perform(state.inputClosed())
    }

    func channelInactive(context: ChannelHandlerContext) {
        pool.remove(self)
        perform(state.closed())
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Called before the channel reports the end of input. A truncated TLS connection must not count as the end of a
        // body.
        let action = state.closed()
        context.close(promise: nil)
        perform(action)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { lessee?.upstreamBecameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { readIsHeld = true }
    }

    /// True if the lessee can take more of the response.
    private var mayRead: Bool { lessee?.isWritable ?? true }

    // MARK: Actions

    /// Executes the action that an event caused.
    ///
    /// - Parameter received: the event's bytes, for the actions that read or relay them.
    private func perform(_ action: UpstreamState.Action, _ received: ByteBuffer = ByteBuffer()) {
        switch action {
        case .none: break
        case .announce: lessee?.upstreamConnected(self, after: self)
        case .keep: keep()
        case .close: close()
        case .fail(let failure):
            let lessee = release()
            close()
            lessee?.upstreamFailed(failure, self)
        case .readHead: readHead(input.takeAll(and: received))
        case .readBody: readBody(of: nil, received)
        case .relayInterim:
            let head = parser.head
            lessee?.relayInterim(head)
        case .relayFinal:
            let head = parser.head
            body = BodyReader(head.framing, trailerFields: limits.fields, keepsTrailers: terms.keepsTrailers)
            readBody(of: head, received)
        case .openTunnel:
            let head = parser.head
            lessee?.upgraded(head, received)
        case .relayTunnel: lessee?.relayFromTunnel(received)
        case .endBody:
            let lessee = release()
            close()
            lessee?.relayResponse(nil, nil, ends: true, trailers: [])
        case .endTunnel:
            let lessee = release()
            close()
            lessee?.tunnelEnded()
        case .complete(let keeps): if keeps { keep() } else { close() }
        }
    }

    /// Parses response heads up to the final one. Interim heads are relayed at once.
    private func readHead(_ received: ByteBuffer) {
        var received = received
        while received.readableBytes > 0 {
            do throws(ResponseHeadRejection) {
                guard
                    try parser.parse(received.readableBytesUInt8Span, requestMethodIsHEAD: terms.requestIsHEAD)
                        == .complete
                else {
                    return input = received
                }
            } catch {
                return perform(state.malformed(.head(error)))
            }
            received.moveReaderIndex(forwardBy: min(parser.head.byteCount, received.readableBytes))
            guard parser.head.isInterim else { return perform(finalHeadReceived(), received) }
            let action = state.interimHeadReceived()
            perform(action)
            guard action == .relayInterim else { return }
            parser.reset()
        }
    }

    private func finalHeadReceived() -> UpstreamState.Action {
        guard parser.head.status == 101 else {
            // After a request for a protocol switch, some servers read no other request, regardless of their answer.
            let keepsAlive = parser.head.keepsAlive && terms.webSocket == nil
            return state.finalHeadReceived(
                keepsAlive: keepsAlive, endsWithConnection: parser.head.framing == .untilClose)
        }
        let isAsked = isAsked(parser.head)
        if isAsked, terms.webSocket?.offer?.answer(to: parser.head) == .unoffered {
            return state.malformed(.unofferedProtocol)
        }
        return state.switchingProtocolsReceived(isAsked: isAsked)
    }

    /// True if the head accepts the WebSocket handshake that the request sent.
    private func isAsked(_ head: ResponseHead) -> Bool {
        guard let key = terms.webSocket?.key, let accept = head.webSocketAccept else { return false }
        return WebSocketKey.isAnswered(key, by: accept)
    }

    /// Relays received body content, and completes the response at its end.
    ///
    /// - Parameter head: the final head, if the same event delivered it.
    private func readBody(of head: ResponseHead?, _ received: ByteBuffer) {
        var received = received
        let content: ByteBuffer?
        do throws(ChunkRejection) {
            content = try body.take(from: &received)
        } catch {
            return perform(state.malformed(.body(error)))
        }
        guard body.isComplete else {
            lessee?.relayResponse(head, content, ends: false, trailers: [])
            return
        }
        let trailers = body.trailers
        let action = state.bodyEnded(surplus: received.readableBytes > 0 || lastReadWasFull)
        let lessee = release()
        // Before the lessee learns of the end, so that its next request can use this connection.
        perform(action)
        lessee?.relayResponse(head, content, ends: true, trailers: trailers)
    }

    private func release() -> (any UpstreamLessee)? {
        defer { lessee = nil }
        return lessee
    }

    /// Keeps the connection for the next request, or closes it if it cannot be reused.
    private func keep() {
        lessee = nil
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
        guard !loop.isDraining, heedAnnouncedEnd(), pool.put(self) else { return close() }
        resumeReading()
    }

    /// Notes the idle timeout that the upstream announced in its last response. Returns false if it is too short for
    /// reuse: the upstream could close while the next request is on its way.
    private func heedAnnouncedEnd() -> Bool {
        guard parser.head.contains(.keepAlive), let seconds = parser.head.idleSeconds else {
            reuseEnd = .max
            return true
        }
        let reusable: Duration = .seconds(seconds) - FixedLimits.reuseMargin
        guard reusable > .zero else { return false }
        reuseEnd = EventLoopClock.now() &+ TimeAmount(reusable).nanoseconds
        idleDeadline = min(idleDeadline, loop.clock.tick(after: TickCount(reusable)))
        return true
    }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}
