import NIOCore
import NIOSSL
import NIOTLS
import ProxySettings
import TransportSecurity

/// Waits behind the TLS handler for the end of the handshake; the handlers of the negotiated protocol then replace it.
///
/// Application data that a client sends early arrives only after the handshake.
final class TLSHandshake: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let server: ConnectionServer
    private let protocols: [String]
    private let hop: DownstreamHop
    private var deadline: Scheduled<Void>?

    /// - Parameter protocols: ALPN protocols that the listener speaks.
    init(_ server: ConnectionServer, hop: DownstreamHop, protocols: [String]) {
        self.server = server
        self.protocols = protocols
        self.hop = hop
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        deadline = context.eventLoop.scheduleTask(in: TimeAmount(server.loop.configuration.timeouts.handshake)) {
            let (handshake, context) = bound.value
            handshake.ends(.timedOut)
            context.channel.closeAtOnce()
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { deadline?.cancel() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case TLSUserEvent.handshakeCompleted(let negotiated) = event else {
            return context.fireUserInboundEventTriggered(event)
        }
        ends(.completed)
        hop.isSecure = true
        hop.clientCertificate =
            (try? context.pipeline.syncOperations.handler(type: NIOSSLServerHandler.self))?.shownCertificate
        guard protocols.contains(negotiated ?? "http/1.1") else { return context.channel.closeAtOnce() }
        do {
            try server.serve(context.channel, negotiated == "h2" ? .http2 : .http1, hop)
            context.pipeline.syncOperations.removeHandler(self, promise: nil)
        } catch {
            context.channel.closeAtOnce()
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        ends(.failed)
        context.close(promise: nil)
    }

    /// Counts the result of the handshake, once.
    private func ends(_ result: TLSHandshakeResult) {
        guard let deadline else { return }
        deadline.cancel()
        self.deadline = nil
        server.loop.gateway.connections.handshakes.add(result)
    }
}

@available(*, unavailable)
extension TLSHandshake: Sendable {}
