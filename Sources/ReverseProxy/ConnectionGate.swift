import Files
import Logging
import Logs
import NIOCore
import ProxySettings
import Synchronization
import SystemPackage

/// Accepts connections up to the limits. Further ones wait in the listen backlog.
final class ConnectionGate: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private let gateway: GatewayState
    private let limit: @Sendable () -> Int
    private var isHeld = false
    private var lastWarning: NIODeadline?

    /// Least time between two log lines about failures to accept.
    private static let warningInterval = TimeAmount.seconds(10)
    /// Time for which accepting pauses after a failure.
    private static let pause = TimeAmount.milliseconds(500)

    init(_ gateway: GatewayState, limit: @escaping @Sendable () -> Int) {
        self.gateway = gateway
        self.limit = limit
    }

    /// Called when a connection was accepted.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        gateway.connectionOpened()
        gateway.tookMemory(FixedLimits.connectionMemory)
        unwrapInboundIn(data).closeFuture.whenComplete { [gateway] _ in gateway.connectionClosed() }
        context.fireChannelRead(data)
    }

    func read(context: ChannelHandlerContext) {
        guard isFull || gateway.memory.isOut else { return context.read() }
        guard !isHeld else { return }
        isHeld = true
        if isFull { gateway.met(.connections) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        gateway.whenConnectionCloses {
            bound.eventLoop.execute {
                let (gate, context) = bound.value
                gate.isHeld = false
                gate.read(context: context)
            }
        }
        // A connection may have closed between the check and the call.
        if !isFull, !gateway.memory.isOut { gateway.announceRoom() }
    }

    /// Called when a connection could not be accepted, for example because no descriptors are left.
    ///
    /// Accepting would fail again at once, so it pauses. Only turning off automatic reading removes the listener from
    /// the loop's events.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        warn(error)
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: Self.pause) {
            try? bound.value.channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }

    private func warn(_ error: any Error) {
        let now = NIODeadline.now()
        guard lastWarning.map({ now - $0 >= Self.warningInterval }) ?? true else { return }
        lastWarning = now
        gateway.logger.warning("A connection cannot be accepted", [.cause: .text(Self.words(error))])
    }

    private static func words(_ error: any Error) -> String {
        (error as? IOError).map { Errno(rawValue: $0.errnoCode).words } ?? "the connection ended before it was accepted"
    }

    private var isFull: Bool { gateway.connections.open.load(ordering: .sequentiallyConsistent) >= limit() }
}

@available(*, unavailable)
extension ConnectionGate: Sendable {}
