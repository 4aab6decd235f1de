import HTTPMessages
import NIOCore
import ProxySettings

/// One HTTP/1.1 connection to an upstream: it carries one request at a time, for the lessee that has it.
///
/// It carries out what its ``UpstreamState`` says, and keeps bytes, channel and lessee. Until it is connected it may
/// turn out to be one of HTTP/2: then it hands over to a session.
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
    /// The tick from which an idle connection is closed.
    @safe @exclusivity(unchecked) private(set) var idleDeadline: UInt64 = .max
    /// Until when it may carry another request, because its upstream announced to close it; monotonic, in nanoseconds.
    @safe @exclusivity(unchecked) private var reuseEnd: Int64 = .max
    /// Of the request that it carries or is opened for.
    @safe @exclusivity(unchecked) private(set) var terms: LeaseTerms
    @safe @exclusivity(unchecked) private var lessee: (any UpstreamLessee)?
    @safe @exclusivity(unchecked) private var state = UpstreamState()
    @safe @exclusivity(unchecked) private var channelEnd: ChannelEnd?
    /// The place of a request that left while the connection was being made.
    @safe @exclusivity(unchecked) private var seat: FleetSeat?
    @safe @exclusivity(unchecked) private var isAttemptCounted = false

    @safe @exclusivity(unchecked) private var parser: ResponseHeadParser
    @safe @exclusivity(unchecked) private var body: BodyReader
    /// A partial head.
    private var input = ByteBuffer()
    @safe @exclusivity(unchecked) private var readIsHeld = false
    @safe @exclusivity(unchecked) private var lastReadWasFull = false
    /// The sizes of socket reads below TLS; nil without TLS.
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

    func sendRaw(_ bytes: ByteBuffer) {
        channelEnd?.write(bytes)
        channelEnd?.flush()
    }

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

    /// It is no session, and closes with its request.
    func doubtSession() {}

    func close() {
        channelEnd?.context.close(promise: nil)
    }

    /// Closes it without waiting for the upstream's end of TLS: whoever gets its place may connect at once.
    func closeAtOnce() {
        channelEnd?.context.channel.closeAtOnce()
    }

    // MARK: Connecting

    /// Its request leaves. The connection takes its place until it is there, or will not come, and its fleet hears of
    /// that all the same: a target that swallows connections must not stay in because clients are less patient than
    /// `connect`.
    ///
    /// - Parameter isCounted: whether the fleet has heard of this attempt, since its request ended before.
    func inherit(_ seat: FleetSeat, isCounted: Bool) {
        (self.seat, isAttemptCounted) = (seat, isCounted)
    }

    private func leaveSeat() {
        var seat = seat.take()
        seat?.leave()
    }

    /// The channel is connected and this is its handler.
    func connected() {
        perform(state.connected())
        leaveSeat()
    }

    /// The upstream speaks HTTP/2: the waiting request gets a stream.
    ///
    /// - Parameter isShared: whether the session was there before the connection.
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
        // A read that filled its buffer may have left bytes in the kernel, and behind a response those are surplus.
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
        // Before the channel says that its input ended: a TLS connection that was cut off must not pass for the end of
        // a body.
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

    /// Whether the lessee takes more of the response.
    private var mayRead: Bool { lessee?.isWritable ?? true }

    // MARK: Actions

    /// Carries out what an event leads to.
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

    /// Reads heads up to the final one; interim ones are relayed at once.
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
            // Some servers read no other request behind one that asked for another protocol, whatever they answered.
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

    /// Whether the head switches to the protocol that the request asks for.
    private func isAsked(_ head: ResponseHead) -> Bool {
        guard let key = terms.webSocket?.key, let accept = head.webSocketAccept else { return false }
        return WebSocketKey.isAnswered(key, by: accept)
    }

    /// - Parameter head: the final head, if it came in the same event.
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
        // Before the lessee hears of the end, so that its next request can have this connection.
        perform(action)
        lessee?.relayResponse(head, content, ends: true, trailers: trailers)
    }

    private func release() -> (any UpstreamLessee)? {
        defer { lessee = nil }
        return lessee
    }

    /// Waits for the next request, if another may come.
    private func keep() {
        lessee = nil
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
        guard !loop.isDraining, heedAnnouncedEnd(), pool.put(self) else { return close() }
        resumeReading()
    }

    /// Notes how long the upstream keeps the connection without a request, if its last response says so: near that end
    /// a request may meet it on its way. False: it is near.
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
