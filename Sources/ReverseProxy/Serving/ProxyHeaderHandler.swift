import NIOCore
import NetworkNames
import ProxySettings

/// Reads the PROXY protocol header at the start of a connection; the handlers of the listener's protocol then replace
/// it.
///
/// Like `PriorKnowledge` it buffers received bytes until all those handlers are added. A peer that sends no header
/// holds the connection until the handshake time-out, and meanwhile counts for the limit of all connections.
final class ProxyHeaderHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum Phase { case reading, addingHandlers, served, closed }

    private let server: ConnectionServer
    private let service: ListenerService
    private let peer: ClientAddress
    private var phase = Phase.reading
    private var received = ByteBuffer()
    private var deadline: Scheduled<Void>?

    init(_ server: ConnectionServer, _ service: ListenerService, peer: ClientAddress) {
        self.server = server
        self.service = service
        self.peer = peer
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(server.loop.configuration.timeouts.handshake)) {
            let (handler, context) = bound.value
            handler.end(.timedOut, context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch phase {
        case .served: return context.fireChannelRead(data)
        case .closed: return
        case .reading, .addingHandlers: received.writeImmutableBuffer(unwrapInboundIn(data))
        }
        guard phase == .reading else { return }
        do throws(ProxyHeaderRejection) {
            guard let header = try ProxyHeader.read(received.readableBytesUInt8Span) else { return }
            begin(header, context)
        } catch {
            server.loop.gateway.note(peer, error)
            end(.invalid, context)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if phase == .reading, case ChannelEvent.inputClosed = event {
            end(.incomplete, context)
        } else {
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(.incomplete, context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard phase == .reading else { return context.fireErrorCaught(error) }
        end(.incomplete, context)
    }

    /// Passes the connection to the handlers of its protocol, with the bytes after the header.
    private func begin(_ received: ProxyHeader.Received, _ context: ChannelHandlerContext) {
        phase = .addingHandlers
        deadline?.cancel()
        server.loop.gateway.connections.proxyHeaders.add(received.header == .local ? .local : .announced)
        do {
            try server.serve(context.channel, service, of: client(received.header))
        } catch {
            phase = .closed
            return context.close(promise: nil)
        }
        phase = .served
        self.received.moveReaderIndex(forwardBy: received.length)
        if self.received.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(self.received)) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }

    private func client(_ header: ProxyHeader) -> ClientAddress {
        switch header {
        case .local: peer
        case .client(let address): ClientAddress(announced: address)
        }
    }

    /// Closes a connection without a valid header, and counts the result once.
    private func end(_ result: ProxyHeaderResult, _ context: ChannelHandlerContext) {
        guard phase == .reading else { return }
        phase = .closed
        deadline?.cancel()
        server.loop.gateway.connections.proxyHeaders.add(result)
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension ProxyHeaderHandler: Sendable {}
