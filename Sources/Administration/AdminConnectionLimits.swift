import NIOCore

/// Closes a connection of the admin listener that takes too long, or that uses a file descriptor which the data
/// listeners may need.
///
/// A single rule covers clients that send nothing, send their request byte by byte, or do not read the response. A
/// connection is closed if no write to it was completed for ``AdminLimits/idle``.
final class AdminConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = Never
    typealias OutboundIn = Never

    private let limits: AdminLimits
    private var lastSent = NIODeadline.now()
    private var check: Scheduled<Void>?
    private var isCounted = false

    init(_ limits: AdminLimits) {
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        // The system assigns the lowest free number, so all lower descriptors are in use.
        let descriptor = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { Int($0) }
        guard limits.admit(descriptor: descriptor ?? 0) else { return context.close(promise: nil) }
        isCounted = true
        lastSent = .now()
        checkAgain(in: AdminLimits.idle, context)
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        if isCounted { limits.leave() }
        isCounted = false
        context.fireChannelInactive()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let promise = promise ?? context.eventLoop.makePromise()
        promise.futureResult.assumeIsolated().whenSuccess { self.lastSent = .now() }
        context.write(data, promise: promise)
    }

    private func checkAgain(in time: TimeAmount, _ context: ChannelHandlerContext) {
        check = context.eventLoop.assumeIsolated().scheduleTask(in: time) {
            let left = self.lastSent + AdminLimits.idle - .now()
            guard left > .zero else { return context.close(promise: nil) }
            self.checkAgain(in: left, context)
        }
    }
}

@available(*, unavailable)
extension AdminConnectionLimits: Sendable {}
