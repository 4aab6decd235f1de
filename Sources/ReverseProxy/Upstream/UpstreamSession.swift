import HTTPMessages
import NIOCore
import NIOHTTP2
import ProxySettings

/// One HTTP/2 connection to an upstream, which carries many requests at once, each on a stream of its own.
final class UpstreamSession: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame

    /// Whether a request may begin on it.
    var isOpen: Bool { !isEnding && streams < min(FixedLimits.upstreamStreams, peerLimit) }
    /// Whether it takes no more requests.
    private(set) var isEnding = false
    /// Whether it is for its first request alone: nobody will ask its pool for it.
    var isUnpooled = false

    /// What lies above it the upstream has not processed and will not process (RFC 9113 §6.8).
    private(set) var lastStream = HTTP2StreamID.maxID

    private let pool: TargetPool
    private let loop: LoopServices
    private var context: ChannelHandlerContext?
    private var multiplexer: NIOHTTP2Handler.StreamMultiplexer?
    private var streams = 0
    private var allStreams = 0
    private var resets = 0
    /// How many requests at once the upstream takes, as it says.
    private var peerLimit = Int.max
    /// The tick from which it is closed if it is idle.
    private var idleDeadline: UInt64 = .max

    init(to pool: TargetPool, on loop: LoopServices) {
        self.pool = pool
        self.loop = loop
    }

    /// Makes a channel whose bytes are HTTP/2's from now on a session.
    func begin(on channel: any Channel) throws {
        var settings = NIOHTTP2Handler.ConnectionConfiguration()
        settings.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0), HTTP2Setting(parameter: .maxConcurrentStreams, value: 0),
            // More than a head may have: one past that is refused with its request, and not with the connection and
            // all its streams.
            HTTP2Setting(parameter: .maxHeaderListSize, value: loop.configuration.limits.head.forUpstream.enlarged.head),
        ]
        // As many as that takes in frames of 16 KiB, and again as many for an upstream that sends smaller ones.
        settings.maximumSequentialContinuationFrames = 32
        settings.targetWindowSize = FixedLimits.connectionWindow
        // Many clients share it, so what one of them brings about must not end it: the bounds are for an upstream gone mad.
        settings.maximumRecentlyResetStreams = 4096
        settings.maximumSequentialEmptyDataFrames = 100
        settings.maximumConnectionGlitches = 10_000
        settings.controlFrameRateLimit.maximumCount = 10_000
        var streams = NIOHTTP2Handler.StreamConfiguration()
        streams.streamResetFrameRateLimit.maximumCount = 10_000
        streams.streamErrorRateLimit.maximumCount = 10_000
        let handler = NIOHTTP2Handler(
            mode: .client, eventLoop: channel.eventLoop, connectionConfiguration: settings, streamConfiguration: streams
        ) { stream in
            // Nobody asked to be pushed anything.
            stream.close()
        }
        // The library's handler writes as it is added, and if that fails the channel has ended before it returns: so
        // it comes last.
        let pipeline = channel.pipeline.syncOperations
        let cutter = FrameCutterHandler(.client)
        try pipeline.addHandlers(ReadCompletionHandler(), cutter, self)
        try pipeline.addHandler(handler, position: .before(self))
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        cutter.begin()
        multiplexer = try handler.syncMultiplexer()
        pool.add(self)
    }

    /// Begins a stream for a request; the promise ends later, never at once.
    func open(_ connection: UpstreamConnection, limits: HeadLimits) -> EventLoopFuture<any Channel>? {
        guard let multiplexer, isOpen else { return nil }
        streams += 1
        allStreams += 1
        // Stream identifiers are used up long after this.
        if allStreams >= FixedLimits.sessionRequests { retire() }
        let isSecure = pool.target.security != nil
        let bound = NIOLoopBound((self, connection), eventLoop: loop.eventLoop)
        let stream = multiplexer.createStreamChannel { stream in
            stream.eventLoop.makeCompletedFuture {
                let (session, connection) = bound.value
                let translation = HTTP2UpstreamStream(of: session, isSecure: isSecure, limits: limits)
                try stream.pipeline.syncOperations.addHandlers(translation, connection)
            }
        }
        stream.whenComplete { result in
            switch result {
            case .success(let stream): stream.closeFuture.whenComplete { _ in bound.value.0.ended() }
            case .failure: bound.value.0.ended()
            }
        }
        return stream
    }

    /// A stream is reset, because its client went away or its response is none.
    ///
    /// Upstreams end a whole connection on which they see too many of those (CVE-2023-44487), and with it the requests of others. So it
    /// takes no more requests before that; those that it has are answered.
    func streamReset() {
        resets += 1
        if resets >= FixedLimits.sessionResets { retire() }
    }

    private func ended() {
        streams = max(0, streams - 1)
        guard streams == 0 else { return }
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
        if isEnding || isUnpooled { context?.close(promise: nil) }
    }

    /// Takes no more requests; those that it has go on.
    func retire() {
        isEnding = true
        pool.remove(self)
    }

    /// Takes no more requests, and closes with the last.
    func end() {
        retire()
        if streams == 0 { context?.close(promise: nil) }
    }

    func expire(at tick: UInt64) {
        if streams == 0, idleDeadline <= tick { end() }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data).payload {
        case .goAway(let lastStream, _, _):
            self.lastStream = min(self.lastStream, lastStream)
            end()
        case .settings(.settings(let settings)):
            for setting in settings where setting.parameter == .maxConcurrentStreams { peerLimit = setting.value }
        default: break
        }
    }

    /// An upstream that ends its side answers nothing more.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            retire()
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        retire()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !NIOHTTP2Errors.concernsOneStream(error) else { return }
        retire()
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension UpstreamSession: Sendable {}
