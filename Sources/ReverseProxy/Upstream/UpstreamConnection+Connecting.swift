import HTTPMessages
import NIOCore
import NIOPosix
import NIOSSL
import ProxySettings
import TransportSecurity

extension UpstreamConnection {
    /// Begins to connect for a request, which hears of the end through `upstreamConnected` or `upstreamFailed`, never at once.
    static func connecting(
        to pool: TargetPool, on loop: LoopServices, for lessee: any UpstreamLessee, _ terms: LeaseTerms,
        _ configuration: ProxyConfiguration
    ) -> UpstreamConnection {
        let connection = UpstreamConnection(to: pool, on: loop, for: lessee, terms, limits: configuration.limits.head.forUpstream)
        let bootstrap = ClientBootstrap(group: loop.eventLoop)
            .connectTimeout(TimeAmount(configuration.timeouts.connect))
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.recvAllocator, value: DataChannel.receiveAllocator)
            .channelOption(.writeBufferWaterMark, value: DataChannel.waterMark)
        let channel =
            if let address = pool.address {
                bootstrap.connect(to: address)
            } else {
                bootstrap.resolver(KnownAddresses(of: pool.target.host, from: loop.gateway.names, on: loop.eventLoop))
                    .connect(host: pool.target.host, port: pool.target.port)
            }
        let bound = NIOLoopBound(connection, eventLoop: loop.eventLoop)
        channel.hop(to: loop.eventLoop).whenComplete { result in
            switch result {
            case .success(let channel): bound.value.begin(channel, configuration)
            case .failure(let error): bound.value.notConnected(error)
            }
        }
        return connection
    }

    /// There is no connection. An address that does not answer may be out of date.
    private func notConnected(_ error: any Error) {
        if pool.address == nil { loop.gateway.names.connectFailed(to: pool.target.host) }
        connectFailed(Self.isTimeout(error) ? .connectTimeout : .unreachable(UnreachableCause(connecting: error)))
    }

    /// Takes the channel over, without TLS or once the upstream is authenticated.
    private func begin(_ channel: any Channel, _ configuration: ProxyConfiguration) {
        guard let settings = pool.target.security else {
            return pool.target.protocols == .http2 ? beginSession(channel) : adopt(channel)
        }
        let handshake = channel.eventLoop.makePromise(of: String?.self)
        do {
            try secure(channel, settings, configuration, handshake)
        } catch {
            handshake.fail(error)
        }
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        handshake.futureResult.whenComplete { result in
            switch result {
            case .success("h2"): bound.value.beginSession(channel)
            case .success where bound.value.pool.target.protocols == .http2: bound.value.refuse(channel, NoHTTP2())
            case .success: bound.value.adopt(channel)
            case .failure(let error): bound.value.refuse(channel, error)
            }
        }
    }

    /// Puts TLS before everything else, and begins; the promise ends with the handshake.
    private func secure(
        _ channel: any Channel, _ settings: TargetSecurity, _ configuration: ProxyConfiguration, _ handshake: EventLoopPromise<String?>
    ) throws {
        guard let tls = configuration.upstreamTLS[settings] else { throw NoUpstreamTLS() }
        // An address is verified as one, and is not asked for by name (RFC 6066 §3).
        let name = settings.serverName ?? (pool.address == nil ? pool.target.host : nil)
        let pipeline = channel.pipeline.syncOperations
        let watch = FullReadWatch()
        try pipeline.addHandler(watch)
        // A switch to the WebSocket protocol starts from HTTP/1.1.
        let context = terms.webSocketKey != nil ? tls.security.contextForHTTP1 : tls.security.context
        try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
        try pipeline.addHandler(UpstreamHandshake(handshake, limit: TimeAmount(configuration.timeouts.connect)))
        fullReads = watch
        try channel.syncOptions?.setOption(.autoRead, value: true)
    }

    /// Begins to speak HTTP/2 on a channel; the request has its first stream.
    private func beginSession(_ channel: any Channel) {
        let session = UpstreamSession(to: pool, on: loop)
        do {
            try session.begin(on: channel)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.closeAtOnce()
            return connectFailed(.unreachable(.ended))
        }
        handOver(to: session)
    }

    /// Takes the channel over. Without TLS reading begins only now, so that nothing is received before the handler is there.
    private func adopt(_ channel: any Channel) {
        do {
            try channel.pipeline.syncOperations.addHandler(self)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.close(promise: nil)
            return connectFailed(.unreachable(.ended))
        }
        connected()
    }

    /// Gives up on an upstream that was not authenticated.
    private func refuse(_ channel: any Channel, _ error: any Error) {
        let failure = error is HandshakeTimeout ? .handshakeTimeout : UpstreamFailure.unreachable(cause(error, channel))
        loop.gateway.noteRefusal(of: pool.target, cause: failure.text)
        channel.closeAtOnce()
        connectFailed(failure)
    }

    private func cause(_ error: any Error, _ channel: any Channel) -> UnreachableCause {
        if error is NoHTTP2 { return .tls("the upstream does not speak HTTP/2") }
        if error is NoUpstreamTLS { return .tls("the configuration does not say how to speak TLS with it") }
        let certificate = try? channel.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self).peerCertificate
        let expected = pool.target.security?.serverName ?? pool.target.host
        let now = loop.clock.date(at: EventLoopClock.now())
        return UnreachableCause(handshake: error, certificate.map(PeerCertificate.init), expected: expected, at: now)
    }

    private static func isTimeout(_ error: any Error) -> Bool {
        if case ChannelError.connectTimeout = error { return true }
        guard let error = error as? NIOConnectionError, !error.connectionErrors.isEmpty else { return false }
        return error.connectionErrors.allSatisfy { failure in
            if case ChannelError.connectTimeout = failure.error { true } else { false }
        }
    }
}

/// The upstream does not speak the one protocol that is configured.
private struct NoHTTP2: Error {}

/// The configuration names a target over TLS without TLS settings; no connection is made.
private struct NoUpstreamTLS: Error {}
