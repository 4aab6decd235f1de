import NIOCore
import ProxySettings

/// Detects the protocol of a connection without TLS: a client with prior knowledge of HTTP/2 sends its preface first
/// (RFC 9113 §3.3, §3.4).
///
/// Buffers received bytes until all handlers of the protocol are added. One handler writes as it is added. If that
/// write fails, the channel delivers its remaining input and closes before the write returns.
final class PriorKnowledge: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Phase { case undecided, addingHandlers, decided }

    private let server: ConnectionServer
    private let hop: DownstreamHop
    private var phase = Phase.undecided
    private var received = ByteBuffer()
    private var deadline: Scheduled<Void>?

    init(_ server: ConnectionServer, hop: DownstreamHop) {
        self.server = server
        self.hop = hop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(server.loop.configuration.timeouts.head)) {
            bound.value.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard phase != .decided else { return context.fireChannelRead(data) }
        received.writeImmutableBuffer(unwrapInboundIn(data))
        guard phase == .undecided else { return }
        let bytes = received.readableBytesView.prefix(HTTP2Preface.bytes.count)
        guard HTTP2Preface.bytes.starts(with: bytes) else { return decide(.http1, context) }
        if bytes.count == HTTP2Preface.bytes.count { decide(.http2, context) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client that half-closes here has sent no request.
        if case ChannelEvent.inputClosed = event {
            context.close(promise: nil)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    private func decide(_ version: HTTPGeneration, _ context: ChannelHandlerContext) {
        phase = .addingHandlers
        do {
            try server.serve(context.channel, version, hop)
        } catch {
            return context.close(promise: nil)
        }
        phase = .decided
        context.fireChannelRead(wrapInboundOut(received))
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

@available(*, unavailable)
extension PriorKnowledge: Sendable {}
