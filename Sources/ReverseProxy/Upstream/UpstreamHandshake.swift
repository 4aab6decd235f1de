import NIOCore
import NIOTLS

/// Waits behind the TLS handler for the end of the handshake with an upstream, and reports the negotiated protocol.
///
/// Removes itself at once, so that the handler added next sees all received bytes.
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
        // For a channel that closed without an error. Otherwise the promise is already completed.
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

/// Error if the upstream did not complete the TLS handshake in time.
struct HandshakeTimeout: Error {}

/// Records whether the last socket read filled its buffer, so that more bytes may be waiting. Decrypted bytes do not
/// show that.
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
