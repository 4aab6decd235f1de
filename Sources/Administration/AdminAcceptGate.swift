import NIOCore

/// Closes the connections of clients that are not answered, and keeps the admin listener from wasting time where a
/// connection cannot be accepted, as when there are no descriptors left.
///
/// Accepting would fail at once and again, so it pauses; the library alone would try without end.
final class AdminAcceptGate: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// Pause of accepting after a failure.
    private static let pause = TimeAmount.milliseconds(500)

    /// Whether a client with this address is answered.
    private let permits: @Sendable (_ address: String?) -> Bool

    init(permits: @escaping @Sendable (_ address: String?) -> Bool) {
        self.permits = permits
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let client = unwrapInboundIn(data)
        guard permits(client.remoteAddress?.ipAddress) else { return client.close(promise: nil) }
        context.fireChannelRead(data)
    }

    /// Takes the listener out of its event loop for a moment; the error ends here.
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
