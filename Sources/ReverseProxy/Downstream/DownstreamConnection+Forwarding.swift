import AccessControl
import HTTPMessages
import NIOCore
import RequestAuthorization

/// A permitted request on its way to an upstream.
extension DownstreamConnection {
    func forward(_ forwarding: Forwarding) {
        if request.head.contains(.upgrade), exchange.configuration.authorizer.allowsWebSockets(exchange.facts) {
            exchange.webSocketKey = request.head.webSocketKey
        }
        // In HTTP/2 an ordinary answer would be a yes.
        guard !asksByConnect || exchange.webSocketKey != nil else { return reject(Rejection(.methodNotAllowed)) }
        let limits = exchange.configuration.limits
        if let limit = limits.body, let length = body.rest, length > limit { return reject(Rejection(.bodyTooLarge)) }
        guard GatewayState.enter(loop.gateway.requestsInFlight, limit: limits.inFlight) else {
            loop.gateway.met(.inFlight)
            return reject(Rejection(.overloaded, retryAfter: .seconds(1)))
        }
        exchange.isInFlight = true
        if exchange.streaming != nil {
            let end = exchange.configuration.authorizer.streamEnd(of: request, exchange.facts)
            let isAuthenticated = exchange.facts?.isAuthenticated ?? false
            exchange.streaming?.end = end
            exchange.streaming?.isPatient = isAuthenticated
        }
        exchange.forwarding = forwarding
        exchange.forwardedAt = EventLoopClock.now()
        state.permitted()
        attempt(forwarding)
    }

    /// Tries the next target: on a connection that is there, or on a new one.
    private func attempt(_ forwarding: Forwarding) {
        let configuration = exchange.configuration
        guard let pool = loop.nextTarget(of: forwarding.upstream, in: configuration) else {
            return fail(state.upstreamFailed(.upstreamUnreachable))
        }
        exchange.pool = pool
        exchange.attempts += 1
        // A second attempt gets a fresh connection: what befell the first idle one may have befallen all.
        while exchange.attempts == 1, let idle = pool.takeIdle() {
            guard idle.lease(to: self, requestIsHEAD: exchange.method == .head) else { continue }
            upstream = idle
            return sendHead(on: idle)
        }
        upstream = .connecting(to: pool, on: loop, for: self, configuration)
    }

    /// The connection that the present request waits for is there.
    func upstreamConnected(_ connection: UpstreamConnection) {
        guard connection === upstream else { return connection.abandon() }
        guard connection.lease(to: self, requestIsHEAD: exchange.method == .head) else {
            return upstreamFailed(.unreachable, connection)
        }
        sendHead(on: connection)
        process()
    }

    private func sendHead(on connection: UpstreamConnection) {
        guard let forwarding = exchange.forwarding, let pool = exchange.pool,
            let group = exchange.configuration.upstream(forwarding.upstream)
        else { return fail(state.upstreamFailed(.upstreamUnreachable)) }
        let head = UpstreamRequestHead(
            forwarding: forwarding,
            group: group,
            target: pool.target,
            edits: exchange.configuration.authorizer.edits,
            hop: hop,
            peerIsTrusted: exchange.peerIsTrusted,
            requestID: exchange.requestID,
            upgrades: exchange.webSocketKey != nil,
        )
        loop.gather()
        guard head.write(request.head, path: request.path.canonical, with: &loop.headWriter, to: &loop.outgoing) else {
            return fail(state.upstreamFailed(.badRequest))
        }
        headIsSent = true
        sendBody(on: connection, again: exchange.held.content)
    }

    // MARK: The body

    func relayBody() -> Bool {
        guard headIsSent, let upstream, upstream.isWritable else { return false }
        loop.gather()
        sendBody(on: upstream)
        return true
    }

    /// Sends what was gathered, and what is here of the body.
    ///
    /// - Parameter held: what an earlier attempt has sent of it.
    private func sendBody(on connection: UpstreamConnection, again held: ByteBuffer? = nil) {
        var content: ByteBuffer?
        do {
            content = try takeBody()
        } catch {
            return endByClient(error)
        }
        if exchange.attempts < FixedLimits.attempts, connection.mayRefuse {
            exchange.held.keep(content, limit: exchange.configuration.limits.replay)
        } else if content != nil || held != nil {
            exchange.held.letGo()
        }
        if var held {
            if let content { held.writeImmutableBuffer(content) }
            content = held
        }
        if body.isComplete { state.bodyEnded() }
        arm(body.isComplete && !exchange.isPatient ? exchange.configuration.deadlines.firstByte : exchange.pause)
        connection.send(content, framing: request.head.framing == .chunked ? .chunked : .plain, ends: body.isComplete)
    }

    private func takeBody() throws(RejectedBody) -> ByteBuffer? {
        guard input.readableBytes > 0, !body.isComplete else { return nil }
        var received = input
        let content: ByteBuffer?
        do {
            content = try body.take(from: &received)
        } catch {
            throw RejectedBody(reason: .badRequest)
        }
        take(input.readableBytes - received.readableBytes)
        if input.readableBytes == 0 { input = ByteBuffer() }
        if let limit = exchange.configuration.limits.body, body.byteCount > limit { throw RejectedBody(reason: .bodyTooLarge) }
        return content
    }

    /// The request's body is at fault: its upstream never sees a complete request.
    private func endByClient(_ rejection: RejectedBody) {
        input.clear()
        fail(state.upstreamFailed(rejection.reason))
    }

    func upstreamBecameWritable() {
        if !state.requestEnded { arm(exchange.pause) }
        process()
    }

    // MARK: Failures

    func upstreamFailed(_ failure: UpstreamFailure, _ connection: UpstreamConnection) {
        guard connection === upstream, let forwarding = exchange.forwarding else { return }
        upstream = nil
        headIsSent = false
        let isReplayable = exchange.method.isReplayable && request.head.framing == .none
        let isHeld = exchange.held.isWhole && exchange.configuration.limits.replay > 0
        if failure.allowsRetry(attempts: exchange.attempts, isReplayable: isReplayable, isHeld: isHeld), !state.responseBegan {
            attempt(forwarding)
        } else {
            if state.responseBegan { exchange.reason = failure.reason }
            fail(state.upstreamFailed(failure.reason))
        }
        process()
    }
}

/// Why a body that had begun to go upstream does not go on.
private struct RejectedBody: Error, Hashable {
    let reason: RejectionReason
}
