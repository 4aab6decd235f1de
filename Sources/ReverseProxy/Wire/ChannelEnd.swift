import NIOCore
import NIOSSL

/// A channel as its last handler has it.
///
/// Where no handler stands between the two, as TLS does, reads and writes skip the way along the pipeline.
/// `ChannelCore` is what the pipeline's own first handler calls. A class, because every event hands it on: one
/// reference is counted instead of three.
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

    /// Reads more after what was just received; otherwise the channel does it, through all handlers.
    func readOn() { core?.read0() }
}

@available(*, unavailable)
extension ChannelEnd: Sendable {}
