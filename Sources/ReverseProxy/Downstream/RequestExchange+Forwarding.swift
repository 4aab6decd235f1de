import AccessControl
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// A permitted request on its way to an upstream.
extension RequestExchange {
    func forward(_ forwarding: Forwarding) {
        if request.head.contains(.upgrade), configuration.authorizer.allowsWebSockets(record.facts) {
            relay.webSocketKey = request.head.webSocketKey
        }
        // In HTTP/2 an ordinary answer would be a yes.
        guard !asksByConnect || relay.webSocketKey != nil else { return reject(Rejection(.methodNotAllowed)) }
        let limits = configuration.limits
        if let limit = limits.body, let length = carrier?.bodyRest, length > limit { return reject(Rejection(.bodyTooLarge)) }
        guard GatewayState.enter(loop.gateway.requestsInFlight, limit: limits.inFlight) else {
            loop.gateway.met(.inFlight)
            return reject(Rejection(.overloaded, retryAfter: .seconds(1)))
        }
        relay.isInFlight = true
        if relay.streaming != nil {
            let end = configuration.authorizer.streamEnd(of: request, record.facts)
            let isAuthenticated = record.facts?.isAuthenticated ?? false
            relay.streaming?.end = end
            relay.streaming?.isPatient = isAuthenticated
        }
        relay.forwarding = forwarding
        record.forwardedAt = EventLoopClock.now()
        state.permitted()
        tryNextTarget()
    }

    /// Tries the next target: on a connection that is there, or on a new one.
    func tryNextTarget() {
        guard let forwarding = relay.forwarding, let pool = upstreams.nextTarget(of: forwarding.upstream, in: configuration) else {
            return perform(state.upstreamFailed(.upstreamUnreachable, mayRetry: false))
        }
        relay.pool = pool
        record.upstream = pool.authority
        relay.attempts += 1
        // A second attempt gets a fresh connection: what befell the first idle one may have befallen all.
        while relay.attempts == 1, let idle = pool.takeIdle() {
            guard idle.lease(to: self, leaseTerms) else { continue }
            upstream = idle
            return perform(state.upstreamConnected())
        }
        upstream = .connecting(to: pool, on: loop, for: self, leaseTerms, configuration)
    }

    private var leaseTerms: LeaseTerms {
        LeaseTerms(
            requestIsHEAD: relay.method == .head, keepsTrailers: request.head.acceptsTrailers, webSocketKey: relay.webSocketKey,
            attempt: relay.attempts)
    }

    func upstreamConnected(_ connection: UpstreamConnection) {
        guard connection === upstream else { return connection.abandon() }
        guard connection.lease(to: self, leaseTerms) else { return upstreamFailed(.unreachable, connection) }
        perform(state.upstreamConnected())
        carrier?.process()
    }

    func sendHead() {
        guard let connection = upstream, let forwarding = relay.forwarding, let pool = relay.pool,
            let group = configuration.upstreams[forwarding.upstream]
        else { return perform(state.upstreamFailed(.upstreamUnreachable, mayRetry: false)) }
        let head = UpstreamRequestHead(
            forwarding: forwarding,
            group: group,
            target: pool.target,
            edits: configuration.authorizer.edits,
            hop: hop,
            peerIsTrusted: relay.peerIsTrusted,
            requestID: record.requestID,
            upgrades: relay.webSocketKey != nil,
        )
        state.headSent()
        sendBody(on: connection, behind: head)
    }

    private func write(_ head: borrowing UpstreamRequestHead) -> Bool {
        loop.outgoing.begin { buffer in
            head.write(request.head, path: request.path.canonical, with: &loop.headWriter, to: &buffer)
        }
    }

    // MARK: The body

    /// Sends on what was received of the body; false if the upstream does not take it now.
    func relayBody() -> Bool {
        guard state.state == .forwarding(headIsSent: true), let upstream, upstream.isWritable else { return false }
        sendBody(on: upstream)
        return true
    }

    /// Sends what is here of the body.
    ///
    /// - Parameter head: goes before it; with it what an earlier attempt has sent of the body goes again.
    private func sendBody(on connection: UpstreamConnection, behind head: UpstreamRequestHead? = nil) {
        guard let carrier else { return }
        var part: BodyPart
        do {
            part = try carrier.takeBody()
        } catch {
            return endByClient(error)
        }
        let held = head == nil ? nil : relay.held.content
        if relay.attempts < FixedLimits.attempts, connection.mayRefuse {
            relay.held.keep(part.content, limit: configuration.limits.replay)
        } else if part.content != nil || held != nil {
            relay.held.letGo()
        }
        if var held {
            if let content = part.content { held.writeImmutableBuffer(content) }
            part.content = held
        }
        if part.isLast { state.bodyReceived() }
        arm(part.isLast && !relay.usesStreamIdle ? configuration.deadlines.firstByte : idleTimeout)
        if let head, !write(head) {
            loop.outgoing.discard()
            return perform(state.upstreamFailed(.badRequest, mayRetry: false))
        }
        connection.send(part.content, framing: request.head.framing == .chunked ? .chunked : .plain, ends: part.isLast)
    }

    /// The request's body is at fault: its upstream never sees a complete request.
    private func endByClient(_ rejection: RejectedBody) {
        carrier?.discardInput()
        perform(state.upstreamFailed(rejection.reason, mayRetry: false))
    }

    func upstreamBecameWritable() {
        if !state.requestEnded { arm(idleTimeout) }
        carrier?.process()
    }

    // MARK: Failures

    func upstreamFailed(_ failure: UpstreamFailure, _ connection: UpstreamConnection) {
        guard connection === upstream, relay.forwarding != nil else { return }
        upstream = nil
        let isReplayable = relay.method.isReplayable && request.head.framing == .none
        let isHeld = relay.held.isWhole && configuration.limits.replay > 0
        let mayRetry = failure.allowsRetry(attempts: relay.attempts, isReplayable: isReplayable, isHeld: isHeld)
        if state.responseBegan { record.reason = failure.reason }
        perform(state.upstreamFailed(failure.reason, mayRetry: mayRetry))
        carrier?.process()
    }
}
