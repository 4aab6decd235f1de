import NIOCore

/// Keeps the admin listener from wasting time where a connection cannot be accepted, as when there are no descriptors left.
///
/// Accepting would fail at once and again, so it pauses; the library alone would try without end.
final class AdminAcceptGate: ChannelInboundHandler {
    typealias InboundIn = any Channel

    /// How long accepting pauses after a failure.
    private static let pause = TimeAmount.milliseconds(500)

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
