import HTTPMessages
import NIOCore
import ProxySettings

extension UpstreamConnection {
    /// Begins to connect for a request, which hears of the end through `upstreamConnected` or `upstreamFailed`, never
    /// at once.
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

    /// There is no connection. An address that does not answer may be out of date.
    private func notConnected(_ failure: UpstreamFailure) {
        if pool.address == nil || pool.target.ipAddress != nil {
            loop.gateway.names.connectFailed(to: pool.target.host)
        }
        connectFailed(failure)
    }

    /// Takes the channel over, without TLS or once the upstream is authenticated.
    private func begin(_ channel: any Channel, _ approach: UpstreamApproach, _ configuration: ProxyConfiguration) {
        guard let settings = pool.target.security else {
            return pool.target.protocols == .http2 ? beginSession(channel, configuration) : adopt(channel)
        }
        // A switch to the WebSocket protocol starts from HTTP/1.1.
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

    /// Begins to speak HTTP/2 on a channel, and gives the request its first stream.
    ///
    /// If a session was there first and takes one more, the request joins it, and the connection ends unused.
    private func beginSession(_ channel: any Channel, _ configuration: ProxyConfiguration) {
        // A request of an earlier generation may need other TLS settings.
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

    /// Takes the channel over. Without TLS reading begins only now, so that nothing is received before the handler is
    /// there.
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
    private func refuse(_ channel: any Channel, _ approach: UpstreamApproach, _ error: any Error) {
        let failure = approach.failure(securing: channel, error, at: loop.clock.date(at: EventLoopClock.now()))
        loop.gateway.noteRefusal(of: pool.target, cause: failure.text)
        channel.closeAtOnce()
        connectFailed(failure)
    }
}

extension HeadLimits {
    /// For heads of upstreams, which may hold the long values and the many fields that clients' may not: a policy for
    /// content, a cookie for each application.
    var forUpstream: HeadLimits {
        var limits = HeadLimits(head: 128 * 1024, field: 32 * 1024, fields: 200)
        limits.head = max(limits.head, head)
        limits.fields = max(limits.fields, fields)
        limits.field = max(limits.field, field)
        return limits
    }

    /// Enough for a head that was within these, and for what we add to it.
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
