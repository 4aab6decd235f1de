import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// One HTTP/2 connection from a client, carrying many concurrent requests as streams.
///
/// It performs the actions of its ``HTTP2ConnectionState`` and holds channel and session. Each request in progress has
/// its own ``HTTP2RequestStream``. Output is gathered and written when the loop's round ends, so that no call from a
/// stream triggers events before it returns. Confined to its event loop.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class HTTP2Connection: ChannelDuplexHandler, LoopConnection, GatheringConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let session: HTTP2ServerSession
    let supplies: HTTP2Supplies
    let hop: DownstreamHop
    @safe @exclusivity(unchecked) var slot = 0
    @safe @exclusivity(unchecked) var awaitsRoundEnd = false

    private let loop: LoopServices
    @safe @exclusivity(unchecked) private var channelEnd: ChannelEnd?
    @safe @exclusivity(unchecked) private var state = HTTP2ConnectionState()
    /// Open streams, indexed by their slots in the session.
    @safe @exclusivity(unchecked) private(set) var streams: ContiguousArray<HTTP2RequestStream?> = []
    /// Streams with received content to consume.
    @safe @exclusivity(unchecked) private var ready: ContiguousArray<HTTP2RequestStream> = []
    /// True if reading is paused because memory is short.
    @safe @exclusivity(unchecked) private var readIsHeld = false
    /// Tick from which the next malformed request is logged again.
    @safe @exclusivity(unchecked) private var malformedLogTick: UInt64 = 0
    /// Tick at which the connection times out if it has no request.
    @safe @exclusivity(unchecked) private var deadline: UInt64

    init(_ supplies: HTTP2Supplies, hop: DownstreamHop) {
        self.supplies = supplies
        self.hop = hop
        loop = supplies.loop
        let configuration = loop.configuration
        let isTrusted = hop.door?.admits(hop.address.peerAddress) ?? configuration.trusts(hop.address.peerAddress)
        session = HTTP2ServerSession(
            for: isTrusted ? .trustedProxy : .client,
            limits: HTTP2Limits(ofClients: configuration.limits),
            // `:protocol` is allowed only if some resource permits WebSockets (RFC 8441 §3).
            allowsConnectProtocol: hop.door == nil
                && configuration.authorizer.resources.contains { $0.webSockets != nil },
            storage: loop.http2Storage,
            at: loop.clock.tick,
        )
        deadline = loop.clock.tick(after: configuration.deadlines.head)
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        channelEnd = ChannelEnd(context)
        loop.connections.add(self)
        // Send our SETTINGS before any request arrives.
        if context.channel.isActive { wantsWriting() }
    }

    func channelActive(context: ChannelHandlerContext) {
        wantsWriting()
        context.fireChannelActive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // A channel that never became active does not become inactive either.
        ended()
        channelEnd = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !state.isLeaving else { return }
        let received = unwrapInboundIn(data)
        loop.tookMemory(received.storageCapacity)
        if loop.gateway.memory.isShort { session.withholdWindows() }
        session.receive(received, at: loop.clock.tick)
        handleEvents()
        // While memory is short, a round also asks upstreams to continue.
        if session.needsRound || loop.gateway.memory.isShort { wantsWriting() }
        if mayRead { channelEnd?.readOn() }
    }

    /// Continues reading, unless memory is short.
    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { readIsHeld = true }
    }

    private var mayRead: Bool { loop.mayRead(holding: session.unconsumedByteCount) }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else { return context.fireUserInboundEventTriggered(event) }
        perform(state.inputClosed())
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { wantsWriting() }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    // MARK: The session's events

    /// Delivers the session's events to their streams; then each stream consumes its input.
    private func handleEvents() {
        while let event = session.nextEvent() { handle(event) }
        while let stream = ready.popLast() { stream.consume() }
    }

    private func handle(_ event: HTTP2Event) {
        switch event {
        case .head(let stream, let section, let endsStream):
            begin(stream, section, endsStream: endsStream)
            loop.http2Storage.recycle(section)
        case .interim(_, let section): loop.http2Storage.recycle(section)
        case .data(let stream, let content, let endsStream):
            guard let request = request(on: stream) else { return session.consume(stream, content.readableBytes) }
            request.received(content, endsStream: endsStream)
            enqueue(request)
        case .trailers(let stream, let section):
            if let request = request(on: stream) {
                request.received(trailers: section)
                enqueue(request)
            }
            loop.http2Storage.recycle(section)
        case .streamClosed(let stream, let end): close(stream, end)
        case .requestRefused(let code):
            // Not for a stream over the limit, which is no error of the client.
            if code != .refusedStream { noteRefusal(code) }
        case .queueDrained(let stream): request(on: stream)?.queueDrained()
        case .headNotSent(let stream): request(on: stream)?.abort()
        case .pingAcknowledged(Self.endPing): perform(state.endAcknowledged())
        case .settings, .pingAcknowledged, .goAway: break
        case .connectionFailed:
            loop.gateway.met(.brokenConnections)
            endStreams()
            perform(state.sessionEnded(hasFailed: true))
        }
    }

    /// Returns true if a malformed request of this connection is to be logged now. One a second is logged, because a
    /// client can send many.
    func logsMalformed() -> Bool {
        guard malformedLogTick <= loop.clock.tick else { return false }
        malformedLogTick = loop.clock.tick(after: FixedLimits.malformedLog)
        return true
    }

    /// Counts and logs a stream that the library reset before its head was complete. No request exists that could be
    /// answered.
    private func noteRefusal(_ code: HTTP2ErrorCode) {
        loop.gateway.met(.malformedStreams)
        guard loop.notesRequests, logsMalformed() else { return }
        var record = loop.makeRecord()
        record.door = hop.door?.kind
        record.requestID = .made(loop.requestIDs.next(), loop.requestIDs.next())
        // The session's code for a section that is too large to be answered.
        let isTooLarge = code == .enhanceYourCalm
        record.reason = .message(isTooLarge ? .headTooLarge : .badRequest)
        record.headFault = isTooLarge ? .farBeyondLimits : .resetByHTTP2
        var none = AuthorizationRequest(head: RequestExchange.emptyHead)
        let client = (text: hop.address.peer, address: hop.address.peerAddress)
        loop.note(record, &none, client: client, at: EventLoopClock.now())
    }

    private func enqueue(_ request: HTTP2RequestStream) {
        guard !request.isReady else { return }
        request.isReady = true
        ready.append(request)
    }

    // MARK: Streams

    private func request(on stream: HTTP2Stream) -> HTTP2RequestStream? {
        let index = Int(stream.slot)
        guard streams.indices.contains(index), let request = streams[index], request.stream == stream else {
            return nil
        }
        return request
    }

    /// Begins a request when a stream's head was received.
    private func begin(_ stream: HTTP2Stream, _ section: FieldBlock, endsStream: Bool) {
        let limit = loop.configuration.limits.requestsPerConnection
        // Refuse streams that a client begins after it had time to receive our GOAWAY.
        guard state.streamBegan(limit: limit, isLate: deadline <= loop.clock.tick) else {
            return session.reset(stream, .refusedStream)
        }
        let index = Int(stream.slot)
        while streams.count <= index { streams.append(nil) }
        loop.tookMemory(FixedLimits.requestMemory)
        let request = supplies.takeRequest(of: hop)
        streams[index] = request
        request.begin(stream, on: self, section, endsStream: endsStream)
        let action = state.limitReached(limit)
        if action != .none { loop.gateway.met(.requestsPerConnection) }
        perform(action, within: FixedLimits.linger)
    }

    /// Removes a stream that the session closed.
    private func close(_ stream: HTTP2Stream, _ end: StreamEnd) {
        guard let request = request(on: stream) else { return }
        if case .malformed = end { loop.gateway.met(.malformedStreams) }
        streams[Int(stream.slot)] = nil
        release(request)
        awaitNext()
    }

    /// Counts a stream as ended after we reset it. The client may not read the RST_STREAM.
    func streamReset() {
        state.streamEnded()
        awaitNext()
        wantsWriting()
    }

    private func awaitNext() {
        guard state.openStreams == 0 else { return }
        let idle = loop.clock.tick(after: state.isEnding ? FixedLimits.linger : loop.configuration.deadlines.idle)
        deadline = state.isEnding ? max(deadline, idle) : idle
    }

    private func release(_ request: HTTP2RequestStream) {
        if !request.state.isReset { state.streamEnded() }
        request.closed()
        // A request that still waits in `ready` must not be reused yet.
        if !request.isReady { supplies.recycle(request) }
    }

    /// Ends all streams: the connection closed, or nothing can be sent on it.
    private func endStreams() {
        for index in streams.indices {
            guard let request = streams[index] else { continue }
            streams[index] = nil
            release(request)
        }
    }

    // MARK: Writing

    /// Schedules the session's output to be written when the round ends.
    func wantsWriting() { loop.writeRound.add(self) }

    func writeGathered() {
        while let end = channelEnd, end.isWritable, serialize() {
            _ = session.writeOutput(to: end, loop.http2Storage)
        }
        if session.isFinished { return perform(state.sessionEnded(hasFailed: session.hasFailed)) }
        // While memory is short, upstreams are read only once all output is taken.
        if loop.gateway.memory.isShort, unwrittenBytes == 0 { followUpstreams() }
    }

    /// Serializes more of the session's output. False if there is none.
    private func serialize() -> Bool {
        guard !state.isLeaving || session.hasFailed else { return false }
        session.serialize(limit: FixedLimits.writeBuffer.upperBound)
        handleEvents()
        return session.outputByteCount > 0
    }

    /// Bytes serialized or written that the client has not taken, over all streams.
    var unwrittenBytes: Int {
        session.outputByteCount + (channelEnd?.unwrittenBytes ?? 0)
    }

    // MARK: Time

    private func arm(_ time: TickCount) {
        deadline = loop.clock.tick(after: time)
    }

    func tick(_ tick: UInt64) {
        for index in streams.indices { streams[index]?.tick(tick) }
        guard state.openStreams == 0, deadline <= tick else { return }
        perform(state.idleEnded(), within: FixedLimits.linger)
    }

    func denialsChanged() {
        for index in streams.indices {
            guard let request = streams[index], request.state.isInProgress else { continue }
            request.exchange.denialsChanged()
        }
    }

    func memoryIsShort() {
        for index in streams.indices { streams[index]?.exchange.forwarding?.memoryIsShort() }
    }

    func followMemory() {
        if loop.gateway.memory.isShort {
            session.withholdWindows()
        } else if session.grantWindows() {
            wantsWriting()
        }
        followUpstreams()
        guard readIsHeld, mayRead else { return }
        readIsHeld = false
        channelEnd?.read()
    }

    /// Has the streams' upstreams continue reading, if memory allows.
    private func followUpstreams() {
        for index in streams.indices { streams[index]?.exchange.forwarding?.resumeReading() }
    }

    // MARK: Closing

    /// Performs the action that an event returned.
    ///
    /// - Parameter time: Time to wait for a client that does not respond.
    private func perform(_ action: HTTP2ConnectionState.Action, within time: TickCount = FixedLimits.linger) {
        switch action {
        case .none: break
        case .announceEnd:
            arm(time)
            session.submitShutdownNotice()
            session.ping(Self.endPing)
            wantsWriting()
        case .settle:
            session.submitGoAway()
            arm(time)
            wantsWriting()
        case .leave: leave()
        case .close: close()
        }
    }

    private static let endPing: UInt64 = 0x6265_6172_7761_7264

    /// Called when the gateway drains: announces the end of the connection.
    func drain() {
        for index in streams.indices { streams[index]?.exchange.forwarding?.drain() }
        perform(state.drain(), within: loop.configuration.deadlines.idleWhileDraining)
    }

    func stop() {
        endStreams()
        perform(state.sessionEnded(hasFailed: true))
    }

    /// Closes our side once everything is written, and then waits briefly for the client to close its side.
    ///
    /// Closing while client bytes are unread would reset the connection, and could destroy the last output (RFC 9112
    /// §9.6).
    private func leave() {
        guard let end = channelEnd else { return }
        arm(loop.configuration.deadlines.bodyIdle)
        session.serialize(limit: .max)
        while let bytes = session.nextOutput() { end.write(bytes) }
        endStreams()
        let written = loop.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.endOutput() }
        end.context.writeAndFlush(wrapOutboundOut(ByteBuffer()), promise: written)
    }

    private func endOutput() {
        guard state.state == .leaving, let context = channelEnd?.context else { return }
        arm(FixedLimits.linger)
        context.close(mode: .output, promise: nil)
    }

    func close() {
        channelEnd?.context.close(promise: nil)
    }

    /// Cleans up after the channel closed.
    private func ended() {
        guard state.channelClosed() else { return }
        endStreams()
        ready = []
        deadline = .max
        loop.connections.remove(self)
    }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}
