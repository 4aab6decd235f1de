import NIOCore
import NIOPosix
import NIOSSL
import ProxySettings
import TokenVerification
import TransportSecurity

/// Connects to a target: finds its address, opens TCP or a Unix socket, and adds TLS if the file says so.
///
/// Requests and ``UpstreamProbe`` share this code, so that a probe's result holds for requests.
struct UpstreamApproach: Sendable {
    let target: UpstreamTarget
    /// Address to connect to. Nil if the host is a name.
    let address: SocketAddress?
    /// Time limit of the connection attempt, and again of the TLS handshake.
    let limit: TimeAmount
    /// The watch that bounds receive buffers. Nil outside a gateway.
    var memory: MemoryWatch?

    /// Protocol to speak with a connected target.
    enum Outcome { case http1, http2 }

    // MARK: Connecting

    /// Opens a connection from which nothing is read until a handler has been added.
    func connect(_ names: NameResolver, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        guard let address else {
            return bootstrap(on: eventLoop).resolver(KnownAddresses(of: target.host, from: names, on: eventLoop))
                .connect(host: target.host, port: target.port).hop(to: eventLoop)
        }
        guard target.socketPath != nil else { return bootstrap(on: eventLoop).connect(to: address).hop(to: eventLoop) }
        // A Unix socket connects or fails at once. Callers expect no result before this function returns.
        return eventLoop.flatSubmit { bootstrap(on: eventLoop).connect(to: address) }
    }

    private func bootstrap(on eventLoop: any EventLoop) -> ClientBootstrap {
        let bootstrap = ClientBootstrap(group: eventLoop)
            .connectTimeout(limit)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: ReceiveBuffers(within: memory))
            .channelOption(.writeBufferWaterMark, value: DataChannel.waterMark)
        return target.socketPath == nil ? bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1) : bootstrap
    }

    /// Failure to report for the error of a connection attempt.
    func failure(connecting error: any Error) -> UpstreamFailure {
        Self.isTimeout(error) ? .connectTimeout : .unreachable(UnreachableCause(connecting: error))
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        if case ChannelError.connectTimeout = error { return true }
        guard let error = error as? NIOConnectionError, !error.connectionErrors.isEmpty else { return false }
        return error.connectionErrors.allSatisfy { failure in
            if case ChannelError.connectTimeout = failure.error { true } else { false }
        }
    }

    // MARK: TLS

    /// Adds TLS to the pipeline, before all other handlers, and starts to read. Call it on the channel's event loop.
    ///
    /// - Parameters:
    ///   - tls: TLS settings of the target. Nil if the configuration has none.
    ///   - http1Only: whether only HTTP/1.1 is offered.
    /// - Returns: the watch on the socket's reads, and the protocol that the handshake negotiates.
    func secure(_ channel: any Channel, by tls: UpstreamTLS?, http1Only: Bool) -> (
        FullReadWatch, EventLoopFuture<Outcome>
    ) {
        let watch = FullReadWatch()
        let handshake = channel.eventLoop.makePromise(of: String?.self)
        do {
            try begin(channel, tls, http1Only: http1Only, watch, handshake)
        } catch {
            handshake.fail(error)
        }
        let needsHTTP2 = target.protocols == .http2
        return (
            watch,
            handshake.futureResult.flatMapThrowing { negotiated in
                guard negotiated != "h2" else { return .http2 }
                guard !needsHTTP2 else { throw NoHTTP2() }
                return .http1
            }
        )
    }

    private func begin(
        _ channel: any Channel, _ tls: UpstreamTLS?, http1Only: Bool, _ watch: FullReadWatch,
        _ handshake: EventLoopPromise<String?>
    ) throws {
        guard let tls else { throw NoUpstreamTLS() }
        // An IP address is verified as an address, and not sent as server name (RFC 6066 §3).
        let name = target.security?.serverName ?? (address == nil || target.ipAddress != nil ? target.host : nil)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(watch)
        let context = http1Only ? tls.security.contextForHTTP1 : tls.security.context
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        try pipeline.addHandler(UpstreamHandshake(handshake, limit: limit))
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Failure to report for the error of a TLS handshake, or for a handshake without the required protocol.
    func failure(securing channel: any Channel, _ error: any Error, at now: NumericDate) -> UpstreamFailure {
        guard !(error is HandshakeTimeout) else { return .handshakeTimeout }
        return .unreachable(cause(error, channel, at: now))
    }

    private func cause(_ error: any Error, _ channel: any Channel, at now: NumericDate) -> UnreachableCause {
        if error is NoHTTP2 { return .tls("the upstream does not speak HTTP/2") }
        if error is NoUpstreamTLS { return .tls("the configuration has no TLS settings for it") }
        let certificate = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).peerCertificate
        let expected = target.security?.serverName ?? target.host
        return UnreachableCause(handshake: error, certificate.map(PeerCertificate.init), expected: expected, at: now)
    }
}

/// Error if the upstream does not speak HTTP/2, the one protocol configured for it.
private struct NoHTTP2: Error {}

/// Error if a target uses TLS and the configuration has no TLS settings for it. No TLS connection is made.
private struct NoUpstreamTLS: Error {}
