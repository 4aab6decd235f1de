import NIOCore
import NIOSSL
import NetworkNames
import ProxySettings
import TransportSecurity

extension ConnectionServer {
    /// Serves an accepted connection. Throws if it is refused; the caller then closes the channel.
    ///
    /// - Parameters:
    ///   - proxies: Peers that must send a PROXY protocol header. Nil if the listener expects none.
    ///   - door: The forward auth listener (door) that it is. Nil if clients send requests there.
    func accept(
        _ channel: any Channel, for service: ListenerService, from proxies: [AddressRange]?, at door: Door?
    ) throws {
        let peer = ClientAddress(peer: channel.remoteAddress?.ipAddress)
        guard let proxies else { return try serve(channel, service, of: peer, at: door) }
        guard let address = peer.peerAddress else {
            // A health check that only connects and resets. If it ended before it was accepted, it has no address.
            loop.gateway.connections.proxyHeaders.add(.incomplete)
            throw ChannelError.operationUnsupported
        }
        guard proxies.contains(where: { $0.contains(address) }) else {
            loop.gateway.refuse(peer)
            throw ChannelError.operationUnsupported
        }
        // Only the address in the header is the client's, so the limit for each client must not count the proxy's.
        try channel.pipeline.syncOperations.addHandler(ProxyHeaderHandler(self, service, peer: peer))
    }

    /// Serves a client's connection, from the first byte of the listener's protocol.
    ///
    /// - Parameter door: The door, if `client` is a proxy that asks about the requests of its own clients.
    func serve(_ channel: any Channel, _ service: ListenerService, of client: ClientAddress, at door: Door? = nil)
        throws
    {
        let gateway = loop.gateway
        if door == nil, let limit = loop.configuration.limits.connectionsPerAddress, let address = client.peerAddress {
            guard gateway.enter(address, limit: limit) else {
                gateway.met(.connectionsPerAddress)
                throw ChannelError.operationUnsupported
            }
            channel.closeFuture.whenComplete { _ in gateway.leave(address) }
        }
        let hop = DownstreamHop(client)
        hop.door = door
        switch service {
        case .plain(.http1): try serve(channel, .http1, hop)
        case .plain(.http2): try serve(channel, .http2, hop)
        case .plain(.both): try channel.pipeline.syncOperations.addHandler(PriorKnowledge(self, hop: hop))
        case .redirect(let redirect):
            hop.redirect = redirect
            try serve(channel, .http1, hop)
        case .secure(let termination):
            let pipeline = channel.pipeline.syncOperations
            let security = termination.security
            hop.asksForCertificate = security.asksForCertificate
            try pipeline.addHandler(NIOSSLServerHandler(context: security.context))
            try pipeline.addHandler(TLSHandshake(self, hop: hop, protocols: security.protocols))
        }
    }
}
