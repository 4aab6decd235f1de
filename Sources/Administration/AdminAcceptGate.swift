import NIOCore

/// Closes connections from addresses that are not permitted. Also pauses accepting when a connection cannot be
/// accepted, for example because no file descriptors are left.
///
/// Without the pause the library would retry without end, and each attempt would fail immediately.
final class AdminAcceptGate: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// Duration of the pause after a failure.
    private static let pause = TimeAmount.milliseconds(500)

    /// True if clients with this address are permitted.
    private let permits: @Sendable (_ address: String?) -> Bool

    init(permits: @escaping @Sendable (_ address: String?) -> Bool) {
        self.permits = permits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let client = unwrapInboundIn(data)
        guard permits(client.remoteAddress?.ipAddress) else { return client.close(promise: nil) }
        context.fireChannelRead(data)
    }

    /// Stops accepting for a moment. The error is not passed on.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            try? bound.value.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}

@available(*, unavailable)
extension AdminAcceptGate: Sendable {}
