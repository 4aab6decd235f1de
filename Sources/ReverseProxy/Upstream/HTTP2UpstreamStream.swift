import HTTPMessages
import NIOCore
import NIOHPACK
import NIOHTTP2

/// One HTTP/1.1 request as a stream of HTTP/2, and its response back (RFC 9113 §8): the first handler of a stream to an upstream.
///
/// What stands behind it reads and writes HTTP/1.1, so that a hostile upstream is judged by the same parser whatever it speaks.
final class HTTP2UpstreamStream: ChannelDuplexHandler {
    typealias InboundIn = HTTP2Frame.FramePayload
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = HTTP2Frame.FramePayload

    private let session: UpstreamSession
    private let isSecure: Bool
    private var request: HTTP2OutgoingRequest
    private var framing: ResponseBodyFraming?
    private var responseEnded = false
    private var requestBegan = false

    init(of session: UpstreamSession, isSecure: Bool, limits: HeadLimits) {
        self.session = session
        self.isSecure = isSecure
        request = HTTP2OutgoingRequest(limits: limits)
    }

    // MARK: The request

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        requestBegan = true
        do {
            for frame in try request.frames(of: unwrapOutboundIn(data), scheme: isSecure ? "https" : "http") {
                context.write(wrapOutboundOut(frame), promise: nil)
            }
            promise?.succeed()
        } catch {
            promise?.fail(error)
            refuse(context)
        }
    }

    /// Not at once: the library states it in the middle of writing a frame, and a reset that is written then overtakes that frame. Upstreams
    /// may end a whole connection for a frame behind a reset (RFC 9113 §5.1).
    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.execute { bound.value.fireChannelWritabilityChanged() }
    }

    // MARK: The response

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .headers(let section):
            if framing == nil { begin(section, context) } else { end(trailers: section.headers, context) }
        case .data(let part):
            guard framing != nil else { return refuse(context) }
            if case .byteBuffer(let content) = part.data, content.readableBytes > 0 { pass(content, context) }
            if part.endStream { end(trailers: [:], context) }
        default: break
        }
    }

    private func begin(_ section: HTTP2Frame.FramePayload.Headers, _ context: ChannelHandlerContext) {
        var translation = ResponseTranslation(requestIsHEAD: request.isHEAD)
        var head = HeadWriter()
        do throws(ResponseMalformation) {
            for field in section.headers { try translation.add(field.name, field.value) }
            try translation.write(into: &head, endsStream: section.endStream)
        } catch {
            return refuse(context)
        }
        if !translation.isInterim { framing = translation.framing }
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: head.bytes)))
        if section.endStream { responseEnded = true }
    }

    private func pass(_ content: ByteBuffer, _ context: ChannelHandlerContext) {
        guard framing == .chunked else { return context.fireChannelRead(wrapInboundOut(content)) }
        context.fireChannelRead(wrapInboundOut(content.asChunk(context.channel.allocator)))
    }

    private func end(trailers: HPACKHeaders, _ context: ChannelHandlerContext) {
        guard !responseEnded else { return }
        responseEnded = true
        guard framing == .chunked else { return }
        var end = HeadWriter()
        end.beginTrailers()
        for field in trailers where !end.field(field.name.utf8.span, field.value.utf8.span) { return refuse(context) }
        end.finish()
        context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: end.bytes)))
    }

    /// The stream ended before its time. The library says by the stream's number that GOAWAY has ended it, and not in its own words.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let closed = error as? NIOHTTP2Errors.StreamClosed, !responseEnded else { return context.fireErrorCaught(error) }
        let isRefused = closed.errorCode == .refusedStream || closed.streamID > session.lastStream
        context.fireErrorCaught(isRefused ? RequestNotProcessed() : error)
    }

    /// Ends the stream. The library may still hold its frames back; a reset takes them with it, so that nothing is asked that nobody waits for.
    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        if mode == .all, requestBegan, !responseEnded {
            responseEnded = true
            session.streamReset()
            context.writeAndFlush(wrapOutboundOut(.rstStream(.cancel)), promise: nil)
        }
        context.close(mode: mode, promise: promise)
    }

    /// Gives up on what cannot be a response, or a request that cannot be one; the close says the rest.
    private func refuse(_ context: ChannelHandlerContext) {
        responseEnded = true
        session.streamReset()
        context.writeAndFlush(wrapOutboundOut(.rstStream(.protocolError)), promise: nil)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension HTTP2UpstreamStream: Sendable {}

/// The upstream states that it did nothing with the request of a stream, so that it may be sent again (RFC 9113 §8.7).
struct RequestNotProcessed: Error {}
