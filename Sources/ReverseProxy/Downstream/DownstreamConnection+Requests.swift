import HTTPMessages
import KeySets
import NIOCore
import RequestAuthorization
import Synchronization
import TokenVerification

/// A request's beginning: its head, and the verdict on it.
extension DownstreamConnection {
    func parseHead() -> Bool {
        guard !holdsOnlyLineEnd else { return false }
        if state.headArrives() { beginExchange() }
        let received = input
        do {
            guard try parser.parse(received.readableBytesUInt8Span) == .complete else { return false }
        } catch {
            exchange.bytesIn = input.readableBytes
            input.clear()
            reject(Rejection(RejectionReason(error)))
            return false
        }
        parser.exchange(for: &request.head)
        take(request.head.byteCount)
        judgeHead()
        return true
    }

    /// Whether all that is here is the line end that some clients send after a body (RFC 9112 §2.2): no request has begun.
    var holdsOnlyLineEnd: Bool {
        guard state.phase == .idle, input.readableBytes <= 2 else { return false }
        let bytes = input.readableBytesView
        return bytes.first == UInt8(ascii: "\r") && bytes.dropFirst().first ?? UInt8(ascii: "\n") == UInt8(ascii: "\n")
    }

    /// Moves past bytes that were used up.
    func take(_ byteCount: Int) {
        exchange.bytesIn += byteCount
        input.moveReaderIndex(forwardBy: min(byteCount, input.readableBytes))
    }

    private func beginExchange() {
        exchange = loop.makeExchange()
        let configuration = exchange.configuration
        request.answer = nil
        if parserGeneration != configuration.generation {
            parser = RequestHeadParser(limits: configuration.limits.head)
            parserGeneration = configuration.generation
        }
        storageDeadline = nil
        arm(configuration.deadlines.head)
        loop.gateway.requests.wrappingAdd(1, ordering: .relaxed)
        exchange.requestID = .made(loop.requestIDs.next(), loop.requestIDs.next())
    }

    private func judgeHead() {
        deadline = .max
        exchange.hasHead = true
        // A head may take its time to arrive; the verdict on it is of now, and of the file that runs now.
        exchange.configuration = loop.configuration
        exchange.method = RequestMethod(request.head.bytes.span.extracting(request.head.method))
        exchange.peerIsTrusted = exchange.configuration.trusts(address.peerAddress)
        if exchange.peerIsTrusted { exchange.requestID = RequestID(head: request.head, peerIsTrusted: true, using: &loop.requestIDs) }
        let framing = request.head.framing
        body = BodyReader(framing, limits: exchange.configuration.limits.head)
        state.headEnded(framing: framing, keepsAlive: request.head.keepsAlive)
        if hop.stream != nil, request.head.isGRPC, !asksByConnect {
            let startedAt = exchange.startedAt
            let deadline = request.head.grpcTimeout.flatMap { timeout in
                let (sum, overflow) = startedAt.addingReportingOverflow(timeout)
                return overflow ? nil : sum
            }
            exchange.streaming = StreamingExchange(.grpc, deadline: deadline)
        }
        exchange.isStream = hop.stream != nil
        exchange.asksForCertificate = hop.asksForCertificate
        request.clientCertificate = hop.clientCertificate
        if let redirect = hop.redirect { return send(to: redirect) }
        judge(at: EventLoopClock.now())
    }

    private func judge(at now: Int64) {
        guard !loop.gateway.memory.isShort else {
            loop.gateway.met(.memory)
            // Its buffers are part of what is too much.
            return reject(Rejection(.overloaded, retryAfter: .seconds(1)), endsConnection: true)
        }
        request.maySpendVerification = !isExhausted(at: now)
        switch exchange.configuration.authorizer.authorize(&request, at: loop.clock.date(at: now)) {
        case .forward(let forwarding, let facts):
            exchange.facts = facts
            forward(forwarding)
        case .reject(let rejection, let facts):
            exchange.facts = facts
            noteFailure(rejection, facts, at: now)
            reject(rejection)
        case .publish(let document, let facts):
            exchange.facts = facts
            guard !asksByConnect else { return reject(Rejection(.methodNotAllowed)) }
            publish(document)
        case .wait(let wait, let facts):
            exchange.facts = facts
            awaitAnswer(wait)
        }
    }

    // MARK: Verifications that fail

    /// Whether the client has had as many failed verifications as it may.
    private func isExhausted(at now: Int64) -> Bool {
        guard let limit = exchange.configuration.limits.failedVerificationsPerAddress,
            loop.gateway.failedVerifications.isAnyExhausted(at: now),
            let client = address.client(of: request.head, exchange.configuration).address
        else { return false }
        return loop.gateway.failedVerifications.isExhausted(client, limit: limit, at: now)
    }

    /// Counts a token that was verified for nothing: its signature is bad, or its issuer calls it inactive, or it is refused although
    /// the one is good or the other calls it active.
    private func noteFailure(_ rejection: Rejection, _ facts: AuthorizationFacts, at now: Int64) {
        guard let limit = exchange.configuration.limits.failedVerificationsPerAddress else { return }
        if rejection.reason == .rateLimited { noteRateLimit(limit) }
        let wasVerified = facts.signed != nil || facts.introspected != nil
        guard rejection.reason == .badSignature || rejection.reason.bearerError == .invalidToken && wasVerified,
            let client = address.client(of: request.head, exchange.configuration).address
        else { return }
        loop.gateway.failedVerifications.add(client, limit: limit, at: now)
    }

    private func noteRateLimit(_ limit: Int) {
        loop.gateway.met(.failedVerificationsPerAddress)
        guard !exchange.peerIsTrusted, request.head.contains(.xForwardedFor) else { return }
        loop.gateway.noteUntrustedProxy(address.peer, limit: limit, generation: exchange.configuration.generation)
    }

    // MARK: What nobody knows yet

    private func awaitAnswer(_ wait: AuthorizationWait) {
        let configuration = exchange.configuration
        let gateway = loop.gateway
        guard request.answer == nil else { return reject(Rejection(wait.unavailableReason, retryAfter: .seconds(1))) }
        // Whose keys are waited for is the file's to say; an opaque token that its issuer takes long over is the client's choice.
        let client = wait.isForIntrospection ? address.client(of: request.head, configuration).address?.client : nil
        guard enterWait(client, limit: configuration.limits.waitingForKeys) else {
            gateway.met(.waitingForKeys)
            return reject(Rejection(wait.unavailableReason, retryAfter: .seconds(1)))
        }
        let wait = client.map { wait.of(clientAt: $0.high, $0.low) } ?? wait
        let number = exchange.number
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        pendingAnswer = Task {
            let answer = await configuration.answerWait(wait)
            GatewayState.leave(gateway.requestsWaitingForKeys)
            if let client { gateway.introspections.leave(client) }
            bound.eventLoop.execute { bound.value.answered(answer, to: number) }
        }
    }

    /// Takes a place to wait; no client has more than half of them, rounded up, for its opaque tokens.
    private func enterWait(_ client: IPAddress?, limit: Int) -> Bool {
        if let client, !loop.gateway.introspections.enter(client, limit: limit - limit / 2) { return false }
        if GatewayState.enter(loop.gateway.requestsWaitingForKeys, limit: limit) { return true }
        if let client { loop.gateway.introspections.leave(client) }
        return false
    }

    private func answered(_ answer: AuthorizationAnswer, to number: UInt64) {
        guard number == exchange.number, state.phase == .judging else { return }
        pendingAnswer = nil
        request.answer = answer
        judge(at: EventLoopClock.now())
        process()
    }

    // MARK: Bytes that nobody wants

    func discardBody() -> Bool {
        var received = input
        let before = received.readableBytes
        do {
            _ = try body.take(from: &received)
        } catch {
            close()
            return false
        }
        take(before - received.readableBytes)
        if body.isComplete {
            state.discardingEnded()
            becomeIdle()
        }
        return true
    }

    func discardAfterAnswer() -> Bool {
        let byteCount = input.readableBytes
        input.clear()
        if !state.lingers(byteCount: byteCount) { close() }
        return false
    }
}
