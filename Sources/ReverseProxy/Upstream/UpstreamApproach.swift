import NIOCore
import NIOPosix
import NIOSSL
import ProxySettings
import TokenVerification
import TransportSecurity

/// How a target is reached: its addresses, TCP or a Unix socket, and TLS where the file says so.
///
/// Requests and ``UpstreamProbe`` take this one way, so that what a probe finds holds for requests.
struct UpstreamApproach: Sendable {
    let target: UpstreamTarget
    /// nil: the host is a name.
    let address: SocketAddress?
    /// For the connection, and again for the handshake.
    let limit: TimeAmount
    /// The watch that bounds receive buffers; nil outside a gateway.
    var memory: MemoryWatch?

    /// What there is to be spoken with a target that was reached.
    enum Outcome { case http1, http2 }

    // MARK: Connecting

    /// A connection from which nothing is read until someone is there to take it.
    func connect(_ names: NameResolver, on eventLoop: any EventLoop) -> EventLoopFuture<any Channel> {
        guard let address else {
            return bootstrap(on: eventLoop).resolver(KnownAddresses(of: target.host, from: names, on: eventLoop))
                .connect(host: target.host, port: target.port).hop(to: eventLoop)
        }
        guard target.socketPath != nil else { return bootstrap(on: eventLoop).connect(to: address).hop(to: eventLoop) }
        // A Unix socket is connected, or not, at once; but nobody expects to hear of it before this returns.
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

    /// Why there is no connection.
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

    /// Puts TLS before everything else, and begins to read; called on the channel's event loop.
    ///
    /// - Parameters:
    ///   - tls: nil: the configuration has none for the target.
    ///   - http1Only: whether HTTP/1.1 alone is offered.
    /// - Returns: what watches the socket's reads, and how the handshake ends.
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
        // An address is verified as one, and is not asked for by name (RFC 6066 §3).
        let name = target.security?.serverName ?? (address == nil || target.ipAddress != nil ? target.host : nil)
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(watch)
        let context = http1Only ? tls.security.contextForHTTP1 : tls.security.context
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        try pipeline.addHandler(UpstreamHandshake(handshake, limit: limit))
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Why there is no TLS, or not the protocol that was asked for.
    func failure(securing channel: any Channel, _ error: any Error, at now: NumericDate) -> UpstreamFailure {
        guard !(error is HandshakeTimeout) else { return .handshakeTimeout }
        return .unreachable(cause(error, channel, at: now))
    }

    private func cause(_ error: any Error, _ channel: any Channel, at now: NumericDate) -> UnreachableCause {
        if error is NoHTTP2 { return .tls("the upstream does not speak HTTP/2") }
        if error is NoUpstreamTLS { return .tls("the configuration does not say how to speak TLS with it") }
        let certificate = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).peerCertificate
        let expected = target.security?.serverName ?? target.host
        return UnreachableCause(handshake: error, certificate.map(PeerCertificate.init), expected: expected, at: now)
    }
}

/// The upstream does not speak the one protocol that is configured.
private struct NoHTTP2: Error {}

/// The configuration names a target over TLS without TLS settings; no connection is made.
private struct NoUpstreamTLS: Error {}
