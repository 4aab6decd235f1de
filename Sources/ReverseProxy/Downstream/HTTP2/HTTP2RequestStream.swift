import HTTPMessages
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/2 request as the HTTP/1.1 message that it means, and its answer back (RFC 9113 §8): the first handler of a stream's channel.
///
/// What stands behind it reads and writes HTTP/1.1 and knows nothing of streams, so that whatever is judged is judged once.
final class HTTP2RequestStream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let gateway: GatewayState
    private let unsent: UnsentBytes
    private var requestFraming: BodyFraming?
    private var asksForWebSocket = false
    private var requestEnded = false
    private var answer: HTTP2Answer
    /// Whether the stream ends once everything is sent, because nobody wants the rest of the request.
    private var endsWhenSent = false
    /// Whoever waits until everything is sent.
    private var waiting: [EventLoopPromise<Void>] = []
    private var isFlushing = false
    private var endedInFlush = false

    init(_ gateway: GatewayState, unsent: UnsentBytes, limits: HeadLimits) {
        self.gateway = gateway
        self.unsent = unsent
        answer = HTTP2Answer(limits: limits)
    }

    // MARK: The request

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let section):
            // A second section is trailers, which mean nothing to whoever judges and are not sent on.
            if requestFraming == nil { begin(section, context) } else if section.endStream { end(context) }
        case .data(let part):
            if case .byteBuffer(let content) = part.data, content.readableBytes > 0 { pass(content, context) }
            if part.endStream { end(context) }
        default: break
        }
    }

    private func begin(_ section: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext) {
        var translation = RequestTranslation()
        var head = HeadWriter()
        do throws(RequestMalformation) {
            for field in section.headers { try translation.add(field.name, field.value) }
            let key = translation.asksForWebSocket ? WebSocketKey.make() : ""
            try translation.write(into: &head, endsStream: section.endStream, webSocketKey: key)
        } catch {
            gateway.met(.malformedStreams)
            return reset(.protocolError, context)
        }
        requestFraming = translation.framing
        asksForWebSocket = translation.asksForWebSocket
        requestEnded = section.endStream
        answer.requestIsHEAD = translation.methodIsHEAD
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: head.bytes)))
    }

    private func pass(_ content: ByteBuffer, _ context: ChannelHandlerContext) {
        guard requestFraming == .chunked else { return context.fireChannelRead(wrapInboundOut(content)) }
        context.fireChannelRead(wrapInboundOut(content.asChunk(context.channel.allocator)))
    }

    private func end(_ context: ChannelHandlerContext) {
        guard !requestEnded else { return }
        requestEnded = true
        if requestFraming == .chunked { context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: ChunkedEncoder.terminator))) }
        if asksForWebSocket { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
    }

    // MARK: The answer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let bytes = unwrapOutboundIn(data)
        if let promise { whenSent(promise) }
        guard bytes.readableBytes > 0 else { return }
        let frames: [HTTP2Frame.FramePayload]
        do {
            frames = try answer.frames(of: bytes)
        } catch {
            // What the gateway writes is well formed; if not, nobody must see it.
            return reset(.internalError, context)
        }
        for frame in frames { send(frame, context) }
    }

    /// The last frame ends the stream within this call; whoever answers hears of that when it has done so.
    func flush(context: ChannelHandlerContext) {
        isFlushing = true
        context.flush()
        isFlushing = false
        guard endedInFlush else { return }
        endedInFlush = false
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.fireChannelInactive() }
    }

    private func send(_ frame: HTTP2Frame.FramePayload, _ context: ChannelHandlerContext) {
        let byteCount = frame.contentLength
        unsent.byteCount += byteCount
        let sent = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        sent.futureResult.whenComplete { _ in bound.value.0.sent(byteCount, bound.value.1) }
        context.write(wrapOutboundOut(frame), promise: sent)
    }

    private func sent(_ byteCount: Int, _ context: ChannelHandlerContext) {
        unsent.byteCount -= byteCount
        guard unsent.byteCount == 0 else { return }
        let done = waiting
        waiting = []
        for promise in done { promise.succeed() }
        if endsWhenSent, answer.isComplete, !requestEnded { reset(.noError, context) }
    }

    private func whenSent(_ promise: EventLoopPromise<Void>) {
        if unsent.byteCount == 0 { promise.succeed() } else { waiting.append(promise) }
    }

    // MARK: Ends

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if answer.isTunnel, !answer.isComplete {
            send(answer.endTunnel(), context)
            flush(context: context)
        }
        switch mode {
        case .output where answer.isTunnel:
            // The client ends its side when it has seen the end of ours; a reset could overtake that.
            promise?.succeed()
        case .output:
            // A client is told not to send the rest, and that nothing went wrong (RFC 9113 §8.1).
            endsWhenSent = true
            if unsent.byteCount == 0, answer.isComplete, !requestEnded { reset(.noError, context) }
            promise?.succeed()
        case .input, .all:
            guard answer.isComplete else { return reset(.internalError, context, promise) }
            context.close(promise: promise)
        }
    }

    private func reset(_ code: HTTP2ErrorCode, _ context: ChannelHandlerContext, _ promise: EventLoopPromise<Void>? = nil) {
        context.writeAndFlush(wrapOutboundOut(.rstStream(code)), promise: nil)
        context.close(promise: promise)
    }

    func channelInactive(context: ChannelHandlerContext) {
        for promise in waiting { promise.fail(ChannelError.ioOnClosedChannel) }
        waiting = []
        if isFlushing { endedInFlush = true } else { context.fireChannelInactive() }
    }
}

@available(*, unavailable)
extension HTTP2RequestStream: Sendable {}

extension HTTP2Frame.FramePayload {
    /// Of what counts for flow control; at least one, so that nothing that is on its way counts for nothing.
    fileprivate var contentLength: Int {
        if case .data(let part) = self { max(1, part.data.readableBytes) } else { 1 }
    }
}
