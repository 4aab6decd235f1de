import NIOCore

/// Completes, below the library's handlers, a read in which the connection ended.
///
/// The channel completes no read of a connection that is closed. The library lists the streams that have received
/// something until the read is complete, and a stream in that list keeps the connection's handlers alive for good.
final class ReadCompletionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private var isClosed = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        context.fireChannelRead(data)
        // Not where it ends: there the library is still in the middle of the read.
        if isClosed { context.fireChannelReadComplete() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        context.fireChannelInactive()
    }
}

@available(*, unavailable)
extension ReadCompletionHandler: Sendable {}
