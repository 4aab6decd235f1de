import NIOCore
import RequestAuthorization

/// The ends of requests and of the connection.
extension DownstreamConnection {
    /// Writes the request into the log and lets go of what it held.
    func finishExchange() {
        if exchange.isInFlight { GatewayState.leave(loop.gateway.requestsInFlight) }
        exchange.isInFlight = false
        // Not the exchange: it would be copied.
        let decision = DecisionTally.Key(
            generation: exchange.configuration.generation, resource: exchange.facts?.resource, rule: exchange.facts?.rule,
            issuer: exchange.facts?.issuer, reason: exchange.reason, isCutOff: exchange.isCutOff)
        loop.count(decision, labels: exchange.configuration.labels)
        if loop.keepsLog {
            let client = exchange.hasHead ? address.client(of: request.head, exchange.configuration).text : address.peer
            loop.record(exchange, request, client: client)
        }
        exchange.forwarding = nil
        // With it goes the token, whose claims would otherwise be kept for as long as the connection is idle.
        exchange.facts = nil
        exchange.pool = nil
        exchange.held.letGo()
        headIsSent = false
    }

    /// Between two requests.
    func becomeIdle() {
        arm(loop.configuration.deadlines.idle)
        storageDeadline = loop.clock.tick(after: FixedLimits.storageKept)
        if exchange.bytesOut > FixedLimits.read { unwritten = unwrittenBytes }
        if loop.isDraining { drain() }
    }

    func abandonUpstream() {
        let connection = upstream
        upstream = nil
        headIsSent = false
        connection?.abandon()
    }

    /// The gateway drains.
    ///
    /// Whoever waits for nothing is given a little time, because the next request may be on its way: one that meets a close is lost, while
    /// one that is answered is told `Connection: close` (RFC 9112 §9.6).
    func drain() {
        // It has no end of its own that could be waited for.
        if state.phase == .tunnel { return endTunnel(.goingAway) }
        // A stream ends with its one request.
        guard hop.stream == nil, state.phase == .idle, input.readableBytes == 0 || holdsOnlyLineEnd else { return }
        deadline = min(deadline, loop.clock.tick(after: loop.configuration.deadlines.idleWhileDraining))
    }

    /// Ends a connection on which nothing happened for too long.
    ///
    /// While the gateway drains, a client that asks in this very moment sees an end and no reset.
    func leave() {
        guard loop.isDraining, unwrittenBytes == 0, state.leaves() else { return close() }
        linger()
    }

    // MARK: Closing

    /// Ends the connection so that the client gets all of the last answer.
    ///
    /// Closing while bytes of the client are unread would reset the connection and could destroy the answer on its way (RFC 9112 §9.6).
    /// So our side ends first, and what comes is thrown away for a while.
    func linger() {
        guard let context else { return }
        input.clear()
        arm(exchange.configuration.deadlines.bodyIdle)
        // A stream that has ended both ways is over; closing it could overtake its end.
        if state.inputEnded, hop.stream == nil {
            closeWhenWritten()
        } else {
            context.close(mode: .output, promise: nil)
        }
    }

    /// Ends both directions when the last byte is written; a plain close would drop what is not written yet.
    func closeWhenWritten() {
        guard let context else { return }
        guard unwrittenBytes > 0 else { return close() }
        let written = loop.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close() }
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
    }

    func close() {
        context?.close(promise: nil)
    }

    /// Ends the connection by a reset: a plain close could pass for the end of the response.
    func abort() {
        guard let context else { return }
        context.channel.resetWhenClosed()
        context.channel.closeAtOnce()
    }

    /// The channel is gone.
    func ended() {
        pendingAnswer?.cancel()
        pendingAnswer = nil
        let last = state.closes()
        guard last != .closed else { return }
        abandonUpstream()
        switch last {
        case .head, .judging, .forwarding:
            exchange.isCutOff = true
            finishExchange()
        case .tunnel: finishExchange()
        case .idle, .discarding, .lingering, .closed: break
        }
        deadline = .max
        loop.remove(self)
    }
}
