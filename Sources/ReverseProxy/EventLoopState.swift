import HTTPMessages
import NIOCore
import NIOPosix
import RequestAuthorization

/// Everything that the connections of one event loop share; nothing of it is seen by another loop.
final class EventLoopState {
    let eventLoop: any EventLoop
    let gateway: GatewayState
    private(set) var configuration: ProxyConfiguration
    var clock = EventLoopClock()
    var requestIDs = RequestIDGenerator()
    /// Where heads are written, before they are gathered.
    var headWriter = HeadWriter()
    private(set) var isDraining = false

    /// What goes out in the present event.
    var outgoing: ByteBuffer
    private var chunkLine: [UInt8] = []
    private let upstreams = UpstreamPool()
    private var groups: [GroupPool] = []
    private var connections: [DownstreamConnection] = []
    private var http2Connections: [HTTP2Connection] = []
    private var exchanges: UInt64 = 0
    private var log: AccessLogBuffer
    private var decisions = DecisionTally()
    private var sweep: RepeatedTask?
    /// When the next tick is due, in nanoseconds.
    private var tickDue = Int64.max

    /// No head: what a connection's request has between two requests.
    static let emptyHead = RequestHeadParser().head
    static let receiveAllocator = AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 2048, maximum: FixedLimits.read)
    static let waterMark = ChannelOptions.Types.WriteBufferWaterMark(
        low: FixedLimits.writeBuffer.lowerBound, high: FixedLimits.writeBuffer.upperBound)

    private static let chunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd)
    private static let lastChunkEnd = ByteBuffer(bytes: ChunkedEncoder.dataEnd + ChunkedEncoder.terminator)

    init(on eventLoop: any EventLoop, of gateway: GatewayState, _ configuration: ProxyConfiguration) {
        self.eventLoop = eventLoop
        self.gateway = gateway
        self.configuration = configuration
        outgoing = ByteBufferAllocator().buffer(capacity: 4 * 1024)
        log = AccessLogBuffer(gateway.accessLog)
        groups = upstreams.groups(of: configuration)
    }

    // MARK: Life

    func start() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        sweep = eventLoop.scheduleRepeatedTask(initialDelay: EventLoopClock.tickLength, delay: EventLoopClock.tickLength) { _ in
            bound.value.tick()
        }
    }

    /// Requests that begin from now on are this generation's.
    func reload(_ configuration: ProxyConfiguration) {
        self.configuration = configuration
        groups = upstreams.groups(of: configuration)
    }

    /// Ends what is idle; the rest ends with its present answer.
    func drain() {
        isDraining = true
        upstreams.closeAll()
        for connection in connections { connection.drain() }
        for connection in http2Connections { connection.drain() }
    }

    /// Ends what is left.
    func stop() {
        isDraining = true
        sweep?.cancel()
        for connection in connections { connection.abort() }
        for connection in http2Connections { connection.close() }
        upstreams.closeAll()
        log.flush()
        gateway.take(&decisions)
    }

    private func tick() {
        let now = EventLoopClock.now()
        gateway.loopWasLate(by: now &- tickDue)
        gateway.names.refresh(at: now)
        gateway.watchMemory(at: now) { configuration.authorizer.forgetKnownTokens() }
        clock.advance()
        // A copy, because connections that end leave the list.
        for connection in connections { connection.tick(clock.tick) }
        for connection in http2Connections { connection.tick(clock.tick) }
        upstreams.expire(at: clock.tick)
        log.flush()
        gateway.take(&decisions)
        tickDue = EventLoopClock.now() &+ EventLoopClock.tickLength.nanoseconds
    }

    // MARK: Connections

    /// Serves HTTP on a channel whose bytes are HTTP's from now on.
    func serve(_ channel: any Channel, _ version: HTTPGeneration, _ hop: DownstreamHop) throws {
        if version == .http2 { return try HTTP2Connection.serve(channel, on: self, hop: hop) }
        let connection = DownstreamConnection(on: self, hop: hop)
        try channel.pipeline.syncOperations.addHandler(connection)
        if isDraining { connection.drain() }
    }

    var connectionCount: Int { connections.count }

    func add(_ connection: DownstreamConnection) {
        connection.slot = connections.count
        connections.append(connection)
    }

    func remove(_ connection: DownstreamConnection) {
        let slot = connection.slot
        guard connections.indices.contains(slot), connections[slot] === connection, let last = connections.popLast() else { return }
        guard last !== connection else { return }
        connections[slot] = last
        last.slot = slot
    }

    func add(_ connection: HTTP2Connection) {
        connection.slot = http2Connections.count
        http2Connections.append(connection)
    }

    func remove(_ connection: HTTP2Connection) {
        let slot = connection.slot
        guard http2Connections.indices.contains(slot), http2Connections[slot] === connection, let last = http2Connections.popLast() else {
            return
        }
        guard last !== connection else { return }
        http2Connections[slot] = last
        last.slot = slot
    }

    // MARK: Requests

    func makeExchange() -> Exchange {
        exchanges &+= 1
        return Exchange(number: exchanges, configuration: configuration, startedAt: EventLoopClock.now(), requestID: .made(0, 0))
    }

    /// The next target of a group.
    func nextTarget(of upstream: Int, in configuration: ProxyConfiguration) -> TargetPool? {
        if configuration === self.configuration {
            return groups.indices.contains(upstream) ? groups[upstream].next() : nil
        }
        // A request of an earlier generation: it waited for keys while the configuration changed.
        return configuration.upstream(upstream)?.targets.randomElement().map(upstreams.pool)
    }

    /// Counts a request that ended.
    func count(_ decision: DecisionTally.Key, labels: @autoclosure () -> RequestLabels) {
        decisions.add(decision, labels: labels())
    }

    /// Whether what requests came to is written down.
    var keepsLog: Bool { log.isOn }

    func record(_ exchange: borrowing Exchange, _ request: borrowing AuthorizationRequest, client: [UInt8]) {
        log.append(exchange, request, client: client, clock: &clock)
    }

    // MARK: Sending

    /// Starts gathering what goes out in the present event; its storage is used again once it is written.
    func gather() {
        outgoing.clear()
    }

    /// Writes what was gathered and body content behind it, framed, and flushes. Returns how many bytes that are.
    ///
    /// A failing write brings events in before this returns, so look at the state again afterwards.
    ///
    /// - Parameter trailers: field lines behind the last chunk; only with the end of chunked content.
    func send(
        _ content: ByteBuffer?, framing: OutgoingFraming, ends: Bool, trailers: [UInt8] = [], to context: ChannelHandlerContext
    ) -> Int {
        let isLarge = appendContent(content, framing: framing)
        if framing == .chunked, ends, !isLarge { Self.end(with: trailers, into: &outgoing) }
        var byteCount = outgoing.readableBytes
        if byteCount > 0 { context.write(NIOAny(outgoing), promise: nil) }
        if isLarge, let content {
            byteCount += content.readableBytes
            context.write(NIOAny(content), promise: nil)
            if framing == .chunked {
                var end = ends && trailers.isEmpty ? Self.lastChunkEnd : Self.chunkEnd
                if ends, !trailers.isEmpty { Self.end(with: trailers, into: &end) }
                byteCount += end.readableBytes
                context.write(NIOAny(end), promise: nil)
            }
        }
        if byteCount > 0 { context.flush() }
        return byteCount
    }

    /// Writes the last chunk and the trailers (RFC 9112 §7.1.2).
    private static func end(with trailers: [UInt8], into buffer: inout ByteBuffer) {
        guard !trailers.isEmpty else { return _ = buffer.writeBytes(ChunkedEncoder.terminator) }
        buffer.writeStaticString("0\r\n")
        buffer.writeBytes(trailers)
        buffer.writeStaticString("\r\n")
    }

    /// Copies small content behind what was gathered; answers true if it is large and goes out by itself.
    private func appendContent(_ content: ByteBuffer?, framing: OutgoingFraming) -> Bool {
        guard let content, content.readableBytes > 0 else { return false }
        if framing == .chunked {
            chunkLine.removeAll(keepingCapacity: true)
            ChunkedEncoder.appendSize(content.readableBytes, to: &chunkLine)
            outgoing.writeBytes(chunkLine)
        }
        guard content.readableBytes <= FixedLimits.copiedBody else { return true }
        outgoing.writeImmutableBuffer(content)
        if framing == .chunked { outgoing.writeBytes(ChunkedEncoder.dataEnd) }
        return false
    }
}

@available(*, unavailable)
extension EventLoopState: Sendable {}

/// How body content goes out.
enum OutgoingFraming: Hashable {
    /// As it is: its length was announced, or its end is the connection's.
    case plain
    case chunked
}
