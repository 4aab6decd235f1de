import HTTPMessages
import NIOCore
import RequestAuthorization

/// One connection to an upstream: it carries one request at a time, for the downstream connection that leases it.
///
/// Both live on one event loop and call each other directly.
final class UpstreamConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let pool: TargetPool
    /// The tick from which an idle connection is closed.
    private(set) var idleDeadline: UInt64 = .max

    let loop: EventLoopState
    private var context: ChannelHandlerContext?
    private var state = UpstreamState()
    /// Whose request it carries or will carry.
    private var lessee: DownstreamConnection?
    private var requestIsHEAD = false
    let limits: HeadLimits
    var parser: ResponseHeadParser
    private var body: BodyReader
    /// The beginning of a head.
    private var input = ByteBuffer()
    private var readIsHeld = false
    private var lastReadWasFull = false
    /// What the socket's reads were like below TLS; nil in the clear.
    var fullReads: FullReadWatch?
    /// The connection of HTTP/2 that it is a stream of; nil for one of HTTP/1.1.
    var session: UpstreamSession?

    init(to pool: TargetPool, on loop: EventLoopState, for lessee: DownstreamConnection, limits: HeadLimits) {
        self.pool = pool
        self.loop = loop
        self.lessee = lessee
        self.limits = limits
        parser = ResponseHeadParser(limits: limits)
        body = BodyReader(ResponseBodyFraming.none, limits: limits)
    }

    // MARK: For the lessee

    /// Gives the connection to a request; false if it turns out not to be usable.
    func lease(to lessee: DownstreamConnection, requestIsHEAD: Bool) -> Bool {
        // A session may have ended since the stream was begun; then nothing of the request is written.
        guard let context, context.channel.isActive, session?.isEnding != true, state.lease() else { return false }
        self.lessee = lessee
        self.requestIsHEAD = requestIsHEAD
        idleDeadline = .max
        parser.reset()
        return true
    }

    /// Whether whoever waits for it asks for the WebSocket protocol.
    var lesseeUpgrades: Bool { lessee?.exchange.webSocketKey != nil }

    /// Whether the upstream may say that it did not process a request, after it was sent.
    var mayRefuse: Bool { session != nil }

    /// Whether more of the request can be written without piling up.
    var isWritable: Bool { context?.channel.isWritable ?? false }

    /// Writes what the loop has gathered, and body content behind it.
    func send(_ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool) {
        guard let context else { return }
        if ends { state.requestIsSent() }
        _ = loop.send(content, framing: framing, ends: ends, to: context)
    }

    /// Writes bytes of another protocol.
    func sendRaw(_ bytes: ByteBuffer) {
        context?.writeAndFlush(NIOAny(bytes), promise: nil)
    }

    /// Says that nothing more is written of what was gone over to.
    func endTunnelOutput() {
        context?.close(mode: .output, promise: nil)
    }

    /// Ends what was gone over to: with last bytes, and a little time for the upstream to see them.
    func endTunnel(_ lastBytes: ByteBuffer) {
        lessee = nil
        sendRaw(lastBytes)
        endTunnelOutput()
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        loop.eventLoop.scheduleTask(in: TimeAmount(FixedLimits.tunnelFarewell)) { bound.value.close() }
        resumeReading()
    }

    /// Reads on if reading stopped because the client did not take the response.
    func resumeReading() {
        guard readIsHeld, let context else { return }
        readIsHeld = false
        context.read()
    }

    /// Ends the lease before the response ended: nobody can tell what still comes, so the connection closes.
    ///
    /// One that is still connecting is clean, and becomes idle when it is connected.
    func abandon() {
        lessee = nil
        if state.phase != .connecting { close() }
    }

    func close() {
        context?.close(promise: nil)
    }

    // MARK: Connecting

    /// The channel is connected and this is its handler.
    func connected(isShared: Bool = false) {
        state.connected(isShared: isShared)
        guard let lessee else { return becomeIdle() }
        lessee.upstreamConnected(self)
    }

    func connectFailed(_ failure: UpstreamFailure) {
        _ = state.closes()
        fail(failure)
    }

    /// Says why an upstream was not spoken with, for whoever has to mend it.
    func noteRefusal(_ error: any Error) {
        loop.gateway.noteRefusal(of: pool.target, error)
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var received = unwrapInboundIn(data)
        // A read that filled its buffer may have left bytes in the kernel, and behind a response those are surplus.
        lastReadWasFull = fullReads?.lastReadWasFull ?? (received.writableBytes == 0)
        switch state.bytesArrive() {
        case .unsolicited: close()
        case .tunnel: lessee?.relayFromTunnel(received)
        case .response:
            received = input.takeAll(and: received)
            relay(&received)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        switch state.inputClosed() {
        case .close: close()
        case .endOfBody:
            let lessee = release()
            close()
            lessee?.relayResponse(nil, nil, ends: true)
        case .endOfTunnel:
            let lessee = release()
            close()
            lessee?.tunnelEnded()
        case .failure(let failure):
            close()
            fail(failure)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        pool.remove(self)
        if state.phase == .tunnel { release()?.tunnelEnded() }
        if let failure = state.closes() { fail(failure) }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if state.phase == .tunnel { release()?.tunnelEnded() }
        // Before the channel says that its input ended: a TLS connection that was cut off must not pass for the end of a body.
        let isRefusal = error is RequestNotProcessed
        let failure = isRefusal ? state.refuses() : state.closes()
        // It would refuse the next one as well. Every refused request has a fresh connection, so this one must not stay for nothing.
        if isRefusal { session?.end() }
        context.close(promise: nil)
        if let failure { fail(failure) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { lessee?.upstreamBecameWritable() }
        context.fireChannelWritabilityChanged()
    }

    func read(context: ChannelHandlerContext) {
        if let lessee, !lessee.isWritable {
            readIsHeld = true
        } else {
            context.read()
        }
    }

    // MARK: The response

    private func relay(_ received: inout ByteBuffer) {
        var head: ResponseHead?
        if state.phase == .head {
            guard let final = finalHead(&received) else { return }
            head = final
        }
        let content: ByteBuffer?
        do {
            content = try body.take(from: &received)
        } catch {
            return refuse(.invalidResponse)
        }
        guard body.isComplete else {
            lessee?.relayResponse(head, content, ends: false)
            return
        }
        let trailers = body.trailers
        let next = state.responseEnded(surplus: received.readableBytes > 0 || lastReadWasFull)
        let lessee = release()
        // Before the lessee hears of the end, so that its next request can have this connection.
        switch next {
        case .reuse: becomeIdle()
        case .close: close()
        }
        lessee?.relayResponse(head, content, ends: true, trailers: trailers)
    }

    /// Parses up to the final head; interim ones are relayed at once. Nil while there is none.
    private func finalHead(_ received: inout ByteBuffer) -> ResponseHead? {
        while received.readableBytes > 0 {
            do {
                guard try parser.parse(received.readableBytesUInt8Span, requestMethodIsHEAD: requestIsHEAD) == .complete else {
                    input = received
                    return nil
                }
            } catch {
                refuse(.invalidResponse)
                return nil
            }
            let head = parser.head
            received.moveReaderIndex(forwardBy: min(head.byteCount, received.readableBytes))
            guard head.status != 101 else {
                upgrade(head, received)
                return nil
            }
            guard head.isInterim else {
                body = BodyReader(head.framing, limits: limits, keepsTrailers: lessee?.request.head.acceptsTrailers ?? false)
                state.headEnded(keepsAlive: head.keepsAlive, endsWithConnection: head.framing == .untilClose)
                return head
            }
            guard state.interimResponse() else {
                refuse(.invalidResponse)
                return nil
            }
            lessee?.relayInterim(head)
            parser.reset()
        }
        return nil
    }

    /// The upstream goes over to another protocol, if it was asked to.
    private func upgrade(_ head: ResponseHead, _ rest: ByteBuffer) {
        guard let lessee, lessee.isUpgraded(by: head), state.upgrades() else { return refuse(.invalidResponse) }
        lessee.upgraded(head, rest)
    }

    /// Gives up on what the upstream sends.
    private func refuse(_ failure: UpstreamFailure) {
        _ = state.closes()
        close()
        fail(failure)
    }

    private func fail(_ failure: UpstreamFailure) {
        let lessee = release()
        lessee?.upstreamFailed(failure, self)
    }

    private func release() -> DownstreamConnection? {
        defer { lessee = nil }
        return lessee
    }

    private func becomeIdle() {
        lessee = nil
        // A stream is for one request, whether it came or not.
        guard session == nil else { return close() }
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
        guard !loop.isDraining, pool.put(self) else { return close() }
        resumeReading()
    }
}

@available(*, unavailable)
extension UpstreamConnection: Sendable {}
