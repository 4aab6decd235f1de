import HTTPMessages
import NIOCore
import ProxySettings

extension UpstreamConnection {
    /// Starts a connection for a request. The lessee gets the result through `upstreamConnected` or `upstreamFailed`,
    /// never before this function returns.
    static func connecting(
        to pool: TargetPool, on loop: LoopServices, for lessee: any UpstreamLessee, _ terms: LeaseTerms,
        _ configuration: ProxyConfiguration
    ) -> UpstreamConnection {
        loop.tookMemory(FixedLimits.connectionMemory)
        let connection = UpstreamConnection(
            to: pool, on: loop, for: lessee, terms, limits: configuration.limits.head.forUpstream)
        let approach = UpstreamApproach(
            target: pool.target, address: pool.address, limit: TimeAmount(configuration.timeouts.connect),
            memory: loop.gateway.memory)
        let bound = NIOLoopBound(connection, eventLoop: loop.eventLoop)
        approach.connect(loop.gateway.names, on: loop.eventLoop).whenComplete { result in
            switch result {
            case .success(let channel): bound.value.begin(channel, approach, configuration)
            case .failure(let error): bound.value.notConnected(approach.failure(connecting: error))
            }
        }
        return connection
    }

    /// Handles a failed connection attempt. Reports it to the resolver, because the address may be out of date.
    private func notConnected(_ failure: UpstreamFailure) {
        if pool.address == nil || pool.target.ipAddress != nil {
            loop.gateway.names.connectFailed(to: pool.target.host)
        }
        connectFailed(failure)
    }

    /// Starts the protocol on a connected channel, after the TLS handshake if the target uses TLS.
    private func begin(_ channel: any Channel, _ approach: UpstreamApproach, _ configuration: ProxyConfiguration) {
        guard let settings = pool.target.security else {
            return pool.target.protocols == .http2 ? beginSession(channel, configuration) : adopt(channel)
        }
        // A switch to WebSocket starts from HTTP/1.1.
        let (watch, handshake) = approach.secure(
            channel, by: configuration.upstreamTLS[settings], http1Only: terms.webSocket != nil)
        fullReads = watch
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        handshake.whenComplete { result in
            switch result {
            case .success(.http2): bound.value.beginSession(channel, configuration)
            case .success(.http1): bound.value.adopt(channel)
            case .failure(let error): bound.value.refuse(channel, approach, error)
            }
        }
    }

    /// Starts HTTP/2 on a channel, and gives the request its first stream.
    ///
    /// If an earlier session takes one more request, the request joins it, and this connection closes unused.
    private func beginSession(_ channel: any Channel, _ configuration: ProxyConfiguration) {
        // A request of an earlier configuration may need other TLS settings.
        if configuration === loop.configuration {
            if let session = pool.settledSession {
                channel.closeAtOnce()
                return handOver(to: session, isShared: true)
            }
            let deadline = loop.clock.tick(after: TickCount(configuration.timeouts.connect))
            if pool.join(until: deadline, { self.beginSession(channel, configuration) }) { return }
        }
        loop.tookMemory(FixedLimits.connectionMemory)
        let session = UpstreamSession(to: pool, on: loop)
        do {
            try session.begin(on: channel)
            try channel.syncOptions?.setOption(.autoRead, value: true)
        } catch {
            channel.closeAtOnce()
            return connectFailed(.unreachable(.ended))
        }
        handOver(to: session, isShared: false)
    }

    /// Installs this connection as the channel's HTTP/1.1 handler. Without TLS, reading starts only now, so that
    /// nothing is received before the handler is there.
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

    /// Closes the connection to an upstream whose TLS handshake failed, and reports the failure.
    private func refuse(_ channel: any Channel, _ approach: UpstreamApproach, _ error: any Error) {
        let failure = approach.failure(securing: channel, error, at: loop.clock.date(at: EventLoopClock.now()))
        loop.gateway.noteRefusal(of: pool.target, cause: failure.text)
        channel.closeAtOnce()
        connectFailed(failure)
    }
}

extension HeadLimits {
    /// Limits for response heads. Upstreams may send longer values and more fields than clients, such as a content
    /// security policy or a cookie for each application.
    var forUpstream: HeadLimits {
        var limits = HeadLimits(head: 128 * 1024, field: 32 * 1024, fields: 200)
        limits.head = max(limits.head, head)
        limits.fields = max(limits.fields, fields)
        limits.field = max(limits.field, field)
        return limits
    }

    /// Limits that fit a head within these limits and the fields that the gateway adds.
    var enlarged: HeadLimits {
        var limits = self
        limits.head = 2 * max(head, 8 * 1024)
        limits.fields = fields + 64
        limits.target = limits.head
        limits.field = limits.head
        limits.authorization = limits.head
        return limits
    }
}
