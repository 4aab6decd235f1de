import NIOCore

/// Closes a connection of HTTP/2 once everything was written, below the library's handlers: for them a stream is over when its last frame
/// was handed on, and what a slow client has not taken yet would be lost.
final class LastBytes: ChannelOutboundHandler {
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    private let limit: TimeAmount
    private var context: ChannelHandlerContext?
    /// Whether it waits for the last of them; another close in that time is meant, and ends the waiting.
    private(set) var isClosing = false

    /// - Parameter limit: how long a client may take for them.
    init(limit: TimeAmount) {
        self.limit = limit
    }

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Writes whole frames that the library's handlers do not know of; only between two of its own writes.
    func write(_ frames: ByteBuffer) {
        guard let context else { return }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(frames)), promise: nil)
    }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        guard mode == .all, !isClosing else { return context.close(mode: mode, promise: promise) }
        isClosing = true
        let written = context.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let late = context.eventLoop.scheduleTask(in: limit) { bound.value.close(promise: nil) }
        written.futureResult.whenComplete { _ in
            late.cancel()
            bound.value.close(promise: promise)
        }
        context.writeAndFlush(wrapOutboundOut(.byteBuffer(ByteBuffer())), promise: written)
    }
}

@available(*, unavailable)
extension LastBytes: Sendable {}
