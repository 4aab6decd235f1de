import HTTPMessages
import NIOCore
import NIOHTTP2
import ProxySettings
import RequestAuthorization

/// One HTTP/2 connection from a client: behind the library's handlers, it sees to what concerns the connection as a whole.
///
/// Confined to its event loop, like the streams in it.
final class HTTP2Connection: ChannelInboundHandler, LoopConnection {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    var slot = 0
    private let loop: LoopServices
    private let upstreams: Upstreams
    private let lastBytes: LastBytes
    private var context: ChannelHandlerContext?
    private var openStreams = 0
    private var allStreams = 0
    private var lastStream = HTTP2StreamID.rootStream
    /// Whether the client was told that the connection ends.
    private var isEnding = false
    /// Whether it was told which request was the last.
    private var isSettled = false
    private var isBroken = false
    /// The tick from which it is closed, if there is no request.
    private var deadline: UInt64

    init(on loop: LoopServices, _ upstreams: Upstreams) {
        self.loop = loop
        self.upstreams = upstreams
        lastBytes = LastBytes(limit: TimeAmount(loop.configuration.timeouts.bodyIdle))
        deadline = loop.clock.tick(after: loop.configuration.deadlines.head)
    }

    /// Makes a channel whose bytes are HTTP/2's from now on a connection of the loop.
    ///
    /// The library's handler comes last. It writes as it is added, and a write that fails brings in what is left to
    /// read, and the end of the connection, before it returns: every other handler has to be there by then.
    static func serve(_ channel: any Channel, on loop: LoopServices, _ upstreams: Upstreams, hop: DownstreamHop) throws {
        let connection = HTTP2Connection(on: loop, upstreams)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let configuration = loop.configuration
        let boundHop = NIOLoopBound(hop, eventLoop: channel.eventLoop)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: settings(configuration),
            streamConfiguration: .unlimited
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try bound.value.begin(stream, boundHop.value) }
        }
        let pipeline = channel.pipeline.syncOperations
        let budget = FrameBudgetHandler(on: loop, peerIsTrusted: configuration.trusts(hop.address.peerAddress))
        let cutter = FrameCutterHandler(.server)
        try pipeline.addHandlers(connection.lastBytes, ReadCompletionHandler(), budget, cutter, connection)
        try pipeline.addHandler(handler, position: .after(cutter))
        // Nothing may be written before the library's first frame.
        if loop.isDraining, channel.isActive { connection.drain() }
    }

    private static func settings(_ configuration: ProxyConfiguration) -> NIOHTTP2Handler.ConnectionConfiguration {
        let limits = configuration.limits
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .maxConcurrentStreams, value: limits.streams),
            HTTP2Setting(parameter: .maxHeaderListSize, value: limits.head.head),
        ]
        // Only where some resource has WebSockets may `:protocol` come at all (RFC 8441 §3).
        if configuration.authorizer.resources.contains(where: \.allowsWebSockets) {
            settings.initialSettings.append(HTTP2Setting(parameter: .enableConnectProtocol, value: 1))
        }
        settings.targetWindowSize = FixedLimits.connectionWindow
        // What a client sent before it heard that its stream is over belongs to that stream, however many there were.
        settings.maximumRecentlyResetStreams = max(1024, 4 * limits.streams)
        settings.removeFrameLimits()
        return settings
    }

    /// A stream is over.
    private func ended() {
        openStreams -= 1
        guard openStreams == 0 else { return }
        guard !isSettled else { return close() }
        let idle = loop.clock.tick(after: isEnding ? FixedLimits.linger : loop.configuration.deadlines.idle)
        deadline = isEnding ? max(deadline, idle) : idle
    }

    /// A tick of the loop's clock.
    func tick(_ tick: UInt64) {
        guard openStreams == 0, deadline <= tick, !lastBytes.isClosing else { return }
        guard allStreams > 0 else { return close() }
        guard !isEnding else { return settle() }
        // A request may be on its way, so the client is told first.
        end(within: FixedLimits.linger)
    }

    /// A stream's first frame came.
    private func begin(_ stream: any Channel, _ hop: DownstreamHop) throws {
        allStreams += 1
        if let number = try stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID) { lastStream = max(lastStream, number) }
        // A client that never acknowledges our settings is not bound by them, but by this.
        // Nor does it begin anything once it had time to hear that the connection ends.
        let isTooLate = isEnding && deadline <= loop.clock.tick
        let isOneTooMany = allStreams > loop.configuration.limits.requestsPerConnection ?? .max
        guard openStreams < loop.configuration.limits.streams, !isTooLate, !isOneTooMany else {
            return try stream.pipeline.syncOperations.addHandler(RefusedStream())
        }
        openStreams += 1
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        stream.closeFuture.whenComplete { _ in bound.value.ended() }
        let unsent = UnsentBytes()
        var hop = hop
        hop.stream = unsent
        let pipeline = stream.pipeline.syncOperations
        try pipeline.addHandler(
            HTTP2RequestStream(loop.gateway, unsent: unsent, limits: loop.configuration.limits.head.forUpstream.enlarged))
        try pipeline.addHandler(DownstreamConnection(on: loop, upstreams, hop: hop))
        if let limit = loop.configuration.limits.requestsPerConnection, allStreams >= limit {
            loop.gateway.met(.requestsPerConnection)
            end(within: FixedLimits.linger)
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.connections.add(self)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        if loop.isDraining { drain() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .ping(Self.endPing, ack: true) = unwrapInboundIn(data).payload, isEnding { settle() }
        context.fireChannelRead(data)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        loop.connections.remove(self)
        self.context = nil
    }

    /// A client that ends its side waits for nothing: in HTTP/2 nobody half-closes.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // Something was written behind the last answer of a connection that takes no more requests; closing now would destroy that answer.
        if error is NIOHTTP2Errors.IOOnClosedConnection { return }
        // The library has answered its errors already, with a reset of the stream or with the end of all (RFC 9113 §5.4).
        guard !NIOHTTP2Errors.concernsOneStream(error) else { return loop.gateway.met(.malformedStreams) }
        // A second close would not wait until the client has heard of the first error.
        guard !isBroken else { return }
        isBroken = true
        if error is FrameBudgetOverdrawn { sayEnhanceYourCalm(context) }
        loop.gateway.met(.brokenConnections)
        context.close(promise: nil)
    }

    /// Ends every stream too: what the client asked for is not worth more work.
    private func sayEnhanceYourCalm(_ context: ChannelHandlerContext) {
        let end = HTTP2Frame.FramePayload.goAway(lastStreamID: 0, errorCode: .enhanceYourCalm, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: end)), promise: nil)
    }

    // MARK: Ends

    /// The gateway drains.
    func drain() {
        end(within: loop.configuration.deadlines.idleWhileDraining)
    }

    /// Tells the client that the connection ends, and takes what it asked before it knew (RFC 9113 §6.8): a GOAWAY that refuses nothing,
    /// and a PING, whose answer shows that the client has read it.
    ///
    /// Both go past the library, which takes no new stream once it has sent any GOAWAY.
    ///
    /// - Parameter time: how long a client that does not answer is waited for.
    private func end(within time: TickCount) {
        guard !isEnding else { return }
        isEnding = true
        deadline = loop.clock.tick(after: time)
        lastBytes.write(Self.notice)
    }

    private static let endPing = HTTP2PingData(withInteger: 0x6265_6172_7761_7264)
    private static let notice = ByteBuffer(bytes: [
        0, 0, 8, 7, 0, 0, 0, 0, 0, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0,
        0, 0, 8, 6, 0, 0, 0, 0, 0, 0x62, 0x65, 0x61, 0x72, 0x77, 0x61, 0x72, 0x64,
    ])

    /// Tells the client which request was the last, and ends with that.
    private func settle() {
        guard !isSettled, let context else { return }
        isSettled = true
        let payload = HTTP2Frame.FramePayload.goAway(lastStreamID: lastStream, errorCode: .noError, opaqueData: nil)
        context.writeAndFlush(wrapOutboundOut(HTTP2Frame(streamID: .rootStream, payload: payload)), promise: nil)
        if openStreams == 0 { close() }
    }

    func stop() { close() }

    func close() {
        context?.close(promise: nil)
    }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}

extension NIOHTTP2Handler.ConnectionConfiguration {
    /// Takes the library's counts of frames out of the way, which know nothing of the work between them: `FrameBudget`
    /// is in their place.
    fileprivate mutating func removeFrameLimits() {
        maximumSequentialEmptyDataFrames = .max
        maximumConnectionGlitches = .max
        controlFrameRateLimit.maximumCount = 1
        controlFrameRateLimit.windowLength = .noTime
    }
}

extension NIOHTTP2Handler.StreamConfiguration {
    /// The same for what is counted for streams.
    fileprivate static var unlimited: Self {
        var configuration = Self()
        configuration.streamResetFrameRateLimit.maximumCount = 1
        configuration.streamResetFrameRateLimit.windowLength = .noTime
        configuration.streamErrorRateLimit.maximumCount = 1
        configuration.streamErrorRateLimit.windowLength = .noTime
        return configuration
    }
}

extension TimeAmount {
    /// A window in which nothing is ever counted: what was noted is always older. A high limit would take memory for as
    /// many notes.
    fileprivate static var noTime: TimeAmount { .nanoseconds(-1) }
}

/// A stream beyond the limit: not begun, so that the client may try again (RFC 9113 §8.7).
private final class RefusedStream: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias OutboundOut = HTTP2Frame.FramePayload

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.writeAndFlush(wrapOutboundOut(.rstStream(.refusedStream)), promise: nil)
    }
}

@available(*, unavailable)
extension RefusedStream: Sendable {}
