import NIOCore
import NIOTLS

/// Waits behind the TLS handler for the end of the handshake with an upstream, and which protocol was negotiated.
///
/// It removes itself at once, so that the handler that is added then sees everything that is received.
final class UpstreamHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let ends: EventLoopPromise<String?>
    private let limit: TimeAmount
    private var deadline: Scheduled<Void>?

    init(_ ends: EventLoopPromise<String?>, limit: TimeAmount) {
        self.ends = ends
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) {
        deadline = context.eventLoop.scheduleTask(in: limit) { [ends] in ends.fail(HandshakeTimeout()) }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        deadline?.cancel()
        // For a channel that closed silently; otherwise the promise is completed.
        ends.fail(ChannelError.ioOnClosedChannel)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let negotiated) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        ends.succeed(negotiated)
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ends.fail(error)
    }
}

@available(*, unavailable)
extension UpstreamHandshake: Sendable {}

/// The upstream did not end the TLS handshake in time.
struct HandshakeTimeout: Error {}

/// Notes whether the last read from the socket filled its buffer, so that more may be waiting; what TLS makes of it
/// does not show that.
final class FullReadWatch: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private(set) var lastReadWasFull = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        lastReadWasFull = unwrapInboundIn(data).writableBytes == 0
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension FullReadWatch: Sendable {}
