import HTTPMessages
import NIOCore
import NIOHTTP2
import RequestAuthorization

/// One HTTP/2 connection from a client: behind the library's handlers, it sees to what concerns the connection as a whole.
///
/// Confined to its event loop, like the streams in it.
final class HTTP2Connection: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    /// Its place in the loop's list.
    var slot = 0
    private let loop: EventLoopState
    private let lastBytes: LastBytes
    private var context: ChannelHandlerContext?
    private var openStreams = 0
    private var allStreams = 0
    private var isEnding = false
    /// The tick from which it is closed, if there is no request.
    private var deadline: UInt64

    init(on loop: EventLoopState) {
        self.loop = loop
        lastBytes = LastBytes(limit: TimeAmount(loop.configuration.timeouts.bodyIdle))
        deadline = loop.clock.tick(after: loop.configuration.deadlines.head)
    }

    /// Makes a channel whose bytes are HTTP/2's from now on a connection of the loop.
    static func serve(_ channel: any Channel, on loop: EventLoopState, hop: DownstreamHop) throws {
        let connection = HTTP2Connection(on: loop)
        let bound = NIOLoopBound(connection, eventLoop: channel.eventLoop)
        let configuration = loop.configuration
        let management = NIOHTTP2ServerConnectionManagementHandler(
            eventLoop: channel.eventLoop,
            configuration: .init(maxIdleTime: nil, maxAge: nil, maxGraceTime: nil, keepalive: nil))
        let boundHop = NIOLoopBound(hop, eventLoop: channel.eventLoop)
        let handler = NIOHTTP2Handler(
            mode: .server, eventLoop: channel.eventLoop, connectionConfiguration: settings(configuration),
            streamConfiguration: .init(), streamDelegate: management.http2StreamDelegate
        ) { stream in
            stream.eventLoop.makeCompletedFuture { try bound.value.begin(stream, boundHop.value) }
        }
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(connection.lastBytes)
        try pipeline.addHandlers(handler, management, connection)
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
        return settings
    }

    /// A stream is over.
    private func ended() {
        openStreams -= 1
        if openStreams == 0 { deadline = loop.clock.tick(after: isEnding ? FixedLimits.linger : loop.configuration.deadlines.idle) }
    }

    /// A tick of the loop's clock.
    func tick(_ tick: UInt64) {
        guard openStreams == 0, deadline <= tick, !lastBytes.isClosing else { return }
        guard !isEnding, allStreams > 0 else { return close() }
        // A request may be on its way, so the client is told first.
        drain()
    }

    /// A stream's first frame came.
    private func begin(_ stream: any Channel, _ hop: DownstreamHop) throws {
        allStreams += 1
        // A client that never acknowledges our settings is not bound by them, but by this.
        // Nor does it begin anything once it had time to hear that the connection ends.
        let isTooLate = isEnding && deadline <= loop.clock.tick
        guard openStreams < loop.configuration.limits.streams, !isTooLate else {
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
            HTTP2RequestStream(loop.gateway, unsent: unsent, limits: UpstreamConnection.limits(loop.configuration.limits.head).enlarged))
        try pipeline.addHandler(DownstreamConnection(on: loop, hop: hop))
        if let limit = loop.configuration.limits.requestsPerConnection, allStreams >= limit {
            loop.gateway.met(.requestsPerConnection)
            drain()
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
        if loop.isDraining { drain() }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        loop.remove(self)
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
        // The library has answered already, with a reset of the stream or with the end of all (RFC 9113 §5.4).
        guard !Self.isOfOneStream(error) else { return loop.gateway.met(.malformedStreams) }
        loop.gateway.met(.brokenConnections)
        context.close(promise: nil)
    }

    /// Whether what is wrong is wrong with one request, so that the others on the connection have nothing to do with it.
    static func isOfOneStream(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.MissingPseudoHeader, is NIOHTTP2Errors.DuplicatePseudoHeader, is NIOHTTP2Errors.UnknownPseudoHeader,
            is NIOHTTP2Errors.UnsupportedPseudoHeader, is NIOHTTP2Errors.InvalidPseudoHeaders, is NIOHTTP2Errors.InvalidPseudoHeaderValue,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.EmptyPathHeader, is NIOHTTP2Errors.ForbiddenHeaderField,
            is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldValue,
            is NIOHTTP2Errors.TrailersWithoutEndStream,
            is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderNegative, is NIOHTTP2Errors.ContentLengthHeaderMalformedValue,
            is NIOHTTP2Errors.StreamClosed:
            true
        default: false
        }
    }

    // MARK: Ends

    /// Lets the requests that are there end, and takes no more (RFC 9113 §6.8).
    func drain() {
        guard !isEnding else { return }
        isEnding = true
        deadline = loop.clock.tick(after: FixedLimits.linger)
        context?.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }

    func close() {
        context?.close(promise: nil)
    }
}

@available(*, unavailable)
extension HTTP2Connection: Sendable {}

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
