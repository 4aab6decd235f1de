import Glibc
import NIOCore
import NIOSSL

/// Reads and writes of a channel's last handler.
///
/// Without TLS there is no handler in between, and reads and writes bypass the pipeline. They call `ChannelCore`, as
/// the pipeline's own first handler does. Bytes that the socket takes at once bypass the channel too. A class, because
/// every event passes it on: one reference is counted instead of three.
final class ChannelEnd {
    let context: ChannelHandlerContext
    let channel: any Channel
    private let core: (any ChannelCore)?
    /// The channel's socket. Nil with TLS, and for a channel without one.
    private let socket: (any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>)?
    /// True if the channel may hold bytes that the socket has not taken.
    @safe @exclusivity(unchecked) private var mayHoldBytes = false

    init(_ context: ChannelHandlerContext) {
        self.context = context
        channel = context.channel
        let operations = context.pipeline.syncOperations
        let isSecure =
            (try? operations.context(handlerType: NIOSSLServerHandler.self)) != nil
            || (try? operations.context(handlerType: NIOSSLClientHandler.self)) != nil
        core = isSecure ? nil : context.channel._channelCore
        socket = core as? any NIOTransportAccessibleChannelCore<NIOBSDSocket.Handle>
    }

    var isWritable: Bool { channel.isWritable }

    /// Bytes that were written and that the socket has not taken.
    var unwrittenBytes: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

    /// Sends bytes on the socket, as many as it takes at once. Delivers no event.
    ///
    /// - Returns: Number of bytes sent. `write` the rest: the channel waits for the socket, and reports its errors.
    func sendAtOnce(_ bytes: Span<UInt8>) -> Int {
        guard let socket, channel.isActive else { return 0 }
        if mayHoldBytes {
            guard unwrittenBytes == 0 else { return 0 }
            mayHoldBytes = false
        }
        // Throws if the channel has closed the socket, whose number may belong to another connection by now.
        let sent = try? unsafe bytes.withUnsafeBytes { bytes in
            try socket.withUnsafeTransport { handle in
                unsafe Glibc.send(handle, bytes.baseAddress, bytes.count, Self.flags)
            }
        }
        return max(0, sent ?? 0)
    }

    private static let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)

    /// Writes bytes, and flushes.
    func send(_ bytes: ByteBuffer) {
        var rest = bytes
        rest.moveReaderIndex(forwardBy: sendAtOnce(bytes.readableBytesUInt8Span))
        guard rest.readableBytes > 0 else { return }
        write(rest)
        flush()
    }

    func write(_ bytes: ByteBuffer) {
        mayHoldBytes = true
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
