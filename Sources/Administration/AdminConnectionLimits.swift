import NIOCore

/// Ends a connection of the admin listener that takes too long, or that takes a descriptor which the data listeners may
/// need.
///
/// One rule for a client that asks nothing, sends its request or its body byte by byte, or does not read its response:
/// a connection that was sent nothing complete for ``AdminLimits/idle`` is closed.
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
        // The lowest number that is free is the one given, so all below it are taken.
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
