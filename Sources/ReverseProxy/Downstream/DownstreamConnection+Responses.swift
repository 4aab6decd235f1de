import HTTPMessages
import NIOCore
import RequestAuthorization

/// Answers: the upstream's, and our own.
extension DownstreamConnection {
    // MARK: The upstream's

    func relayInterim(_ head: ResponseHead) {
        exchange.held.letGo()
        // HTTP/1.0 has none (RFC 9110 §15.2).
        guard request.head.version == .http11, !state.responseBegan, let context else { return }
        loop.gather()
        writer(for: exchange.plan).writeInterim(head, into: &loop.headWriter)
        loop.outgoing.writeBytes(loop.headWriter.bytes)
        exchange.bytesOut += loop.send(nil, framing: .plain, ends: false, to: context)
    }

    /// Sends on what one event brought of the final response.
    ///
    /// - Parameters:
    ///   - head: once, with the first part.
    ///   - ends: whether the response is complete; the upstream connection is then no longer ours.
    ///   - trailers: the trailer section's lines, with the end.
    func relayResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8] = []) {
        guard let context, state.phase == .forwarding else { return }
        if ends {
            upstream = nil
            exchange.upstreamEndedAt = EventLoopClock.now()
        }
        if let head, asksByConnect, (200..<300).contains(head.status) { return reject(Rejection(.upstreamInvalid)) }
        loop.gather()
        if let head { gather(head) }
        let content = exchange.plan.dropsBody ? nil : content
        let framing: OutgoingFraming = exchange.plan.framing == .chunked ? .chunked : .plain
        if !ends { arm(exchange.pause) }
        exchange.bytesOut += loop.send(content, framing: framing, ends: ends, trailers: relayed(trailers), to: context)
        if ends { answered() }
    }

    /// The trailers that go on: none that is known to mean something in a head, and none that only we may state.
    private func relayed(_ lines: [UInt8]) -> [UInt8] {
        guard !lines.isEmpty else { return [] }
        var relayed: [UInt8] = []
        for field in TrailerFields(lines) where field.known == nil && !exchange.configuration.authorizer.edits.removes(field.name) {
            relayed += field.name
            relayed += ": ".utf8
            relayed += field.value
            relayed += "\r\n".utf8
        }
        return relayed
    }

    private func gather(_ head: ResponseHead) {
        let configuration = exchange.configuration
        let limit = configuration.limits.requestsPerConnection
        let mayKeepAlive = state.mayKeepAlive(isDraining: loop.isDraining, limit: limit, more: input.readableBytes > 0)
        if let limit, state.requests >= limit { loop.gateway.met(.requestsPerConnection) }
        exchange.plan = ResponsePlan(head, to: request.head.version, keepsAlive: mayKeepAlive)
        if exchange.streaming == nil, head.isEventStream {
            let end = configuration.authorizer.streamEnd(of: request, exchange.facts)
            exchange.streaming = StreamingExchange(.events, end: end)
        }
        exchange.status = head.status
        exchange.upstreamStatus = head.status
        exchange.held.letGo()
        state.responseBegins(keepsAlive: exchange.plan.keepsAlive)
        writer(for: exchange.plan).write(head, date: loop.clock.httpDate(at: EventLoopClock.now()), into: &loop.headWriter)
        loop.outgoing.writeBytes(loop.headWriter.bytes)
    }

    func writer(for plan: ResponsePlan) -> DownstreamResponseHead {
        DownstreamResponseHead(
            plan: plan,
            requestVersion: request.head.version,
            requestIsHEAD: exchange.method == .head,
            edits: exchange.configuration.authorizer.edits,
        )
    }

    /// The upstream's response is out.
    private func answered() {
        guard state.phase == .forwarding else { return }
        finishExchange()
        resume(state.responseEnded())
        process()
    }

    // MARK: Our own

    /// Answers the present request ourselves.
    func reject(_ rejection: Rejection, endsConnection: Bool = false) {
        guard state.isBusy else { return }
        exchange.reason = rejection.reason
        let ends = endsConnection || rejection.reason.endsConnection
        if exchange.streaming?.kind == .grpc {
            answer(status: 200, endsConnection: ends) { _, fate, date in rejection.grpcResponse(closing: fate, date: date) }
        } else {
            answer(status: rejection.reason.status, endsConnection: ends, rejection.response)
        }
    }

    /// Ends a stream whose time is over, in its protocol's own way.
    func endStream(_ reason: RejectionReason) {
        guard state.phase != .tunnel else { return endTunnel(.refused(reason)) }
        // It may have to wait for keys longer than its client does.
        if state.phase == .judging {
            pendingAnswer?.cancel()
            return reject(Rejection(reason))
        }
        guard state.phase == .forwarding, let context else { return }
        guard state.responseBegan else { return reject(Rejection(reason)) }
        exchange.reason = reason
        // One that promised a length cannot end before it.
        guard exchange.plan.framing == .chunked || exchange.plan.framing == .untilClose else { return abort() }
        abandonUpstream()
        exchange.upstreamEndedAt = EventLoopClock.now()
        loop.gather()
        let framing: OutgoingFraming = exchange.plan.framing == .chunked ? .chunked : .plain
        let trailers = request.head.acceptsTrailers ? exchange.streaming?.trailers(for: reason) ?? [] : []
        exchange.bytesOut += loop.send(nil, framing: framing, ends: true, trailers: trailers, to: context)
        answered()
    }

    /// Answers with a document of our own.
    func publish(_ document: PublishedDocument) {
        answer(status: 200, endsConnection: false, document.response)
    }

    /// Tells the client to come back by https.
    func send(to redirect: HTTPSRedirect) {
        guard let location = redirect.location(for: request.head) else { return reject(Rejection(.badRequest)) }
        answer(status: 308, endsConnection: false) { _, fate, date in
            HTTPSRedirect.response(to: location, closing: fate, date: date)
        }
    }

    private func answer(status: Int, endsConnection: Bool, _ response: (ResponseMethod, ConnectionFate, String) -> [UInt8]) {
        guard let context, state.isBusy else { return }
        abandonUpstream()
        let rest = restOfBody
        let mayKeepAlive = exchange.hasHead && request.head.version == .http11 && request.head.keepsAlive && mayContinue
        let fate = state.rejects(endsConnection: endsConnection, rest: rest, mayKeepAlive: mayKeepAlive)
        let date = String(decoding: loop.clock.httpDate(at: EventLoopClock.now()), as: UTF8.self)
        exchange.status = status
        loop.gather()
        loop.outgoing.writeBytes(response(exchange.method == .head ? .head : .other, fate, date))
        let next = state.rejected(rest: rest)
        exchange.bytesOut += withoutProcessing { loop.send(nil, framing: .plain, ends: false, to: context) }
        finishExchange()
        resume(next)
        processWhatWaited()
    }

    /// How much of the body is still to come; nil if nobody knows, or the client may decide not to send it.
    private var restOfBody: Int? {
        guard !state.requestEnded else { return 0 }
        guard state.phase == .judging, !request.head.expectsContinue else { return nil }
        return body.rest
    }

    /// Whether the gateway allows another request on the connection.
    private var mayContinue: Bool {
        let limit = exchange.configuration.limits.requestsPerConnection ?? .max
        if state.requests >= limit { loop.gateway.met(.requestsPerConnection) }
        return !loop.isDraining && state.requests < limit && (!state.inputEnded || input.readableBytes > 0)
    }

    private func resume(_ next: DownstreamState.Continuation) {
        switch next {
        case .nextRequest: becomeIdle()
        case .discardBody: arm(exchange.configuration.deadlines.bodyIdle)
        case .linger: linger()
        }
    }
}
