import NIOCore
import NIOSSL

/// Reads and writes of a channel's last handler.
///
/// Without TLS there is no handler in between, and reads and writes bypass the pipeline. They call `ChannelCore`, as
/// the pipeline's own first handler does. A class, because every event passes it on: one reference is counted instead
/// of three.
final class ChannelEnd {
    let context: ChannelHandlerContext
    let channel: any Channel
    private let core: (any ChannelCore)?

    init(_ context: ChannelHandlerContext) {
        self.context = context
        channel = context.channel
        let operations = context.pipeline.syncOperations
        let isSecure =
            (try? operations.context(handlerType: NIOSSLServerHandler.self)) != nil
            || (try? operations.context(handlerType: NIOSSLClientHandler.self)) != nil
        core = isSecure ? nil : context.channel._channelCore
    }

    var isWritable: Bool { channel.isWritable }

    func write(_ bytes: ByteBuffer) {
        if let core { core.write0(NIOAny(bytes), promise: nil) } else { context.write(NIOAny(bytes), promise: nil) }
    }

    func flush() {
        if let core { core.flush0() } else { context.flush() }
    }

    func read() {
        if let core { core.read0() } else { context.read() }
    }

    /// Requests the next read after received bytes. With TLS this does nothing, because the channel reads on by itself,
    /// through all handlers.
    func readOn() { core?.read0() }
}

@available(*, unavailable)
extension ChannelEnd: Sendable {}
