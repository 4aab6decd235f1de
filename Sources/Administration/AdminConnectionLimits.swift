import NIOCore

/// Closes a connection of the admin listener that takes too long, or that uses a file descriptor which the data
/// listeners may need.
///
/// A single rule covers clients that send nothing, send their request byte by byte, or do not read the response. A
/// connection is closed if no write to it was completed for ``AdminLimits/idle``. Without a request it is closed after
/// ``AdminLimits/patience`` if no other one could be accepted.
final class AdminConnectionLimits: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = Never
    typealias OutboundIn = Never

    private let limits: AdminLimits
    private var lastSent = NIODeadline.now()
    private var check: Scheduled<Void>?
    private var patience: Scheduled<Void>?
    private var isCounted = false
    private var hasRequest = false

    init(_ limits: AdminLimits) {
        self.limits = limits
    }

    func channelActive(context: ChannelHandlerContext) {
        // The system assigns the lowest free number, so all lower descriptors are in use.
        let descriptor = try? context.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { Int($0) }
        guard limits.admit(context.channel, descriptor: descriptor ?? 0) else { return context.close(promise: nil) }
        isCounted = true
        lastSent = .now()
        checkAgain(in: AdminLimits.idle, context)
        patience = context.eventLoop.assumeIsolated().scheduleTask(in: AdminLimits.patience) {
            self.limits.patienceEnded(with: context.channel)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        check?.cancel()
        patience?.cancel()
        if isCounted { limits.leave(context.channel) }
        isCounted = false
        context.fireChannelInactive()
    }

    /// Passes on a part of a request. The first one is the head of the first request.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !hasRequest { limits.noteRequest(context.channel) }
        hasRequest = true
        context.fireChannelRead(data)
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
