import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// Functions that the exchange calls on its connection.
extension DownstreamConnection: RequestCarrier {
    var isWritable: Bool { channelEnd?.isWritable ?? true }

    var unwrittenBytes: Int { channelEnd?.unwrittenBytes ?? 0 }

    // MARK: The request's body

    var bodyByteCount: Int { body.byteCount }

    var bodyRest: Int? { body.rest }

    func discardInput() { input.clear() }

    func takeBody() throws(RejectedBody) -> BodyPart {
        guard input.readableBytes > 0, !body.isComplete else { return BodyPart(content: nil, isLast: body.isComplete) }
        let content: ByteBuffer?
        do {
            content = try readBody()
        } catch {
            throw RejectedBody(reason: .message(.badRequest))
        }
        if let limit = exchange.bodyLimit, body.byteCount > limit {
            throw RejectedBody(reason: .message(.bodyTooLarge))
        }
        return BodyPart(content: content, isLast: body.isComplete)
    }

    /// Takes the received content of the body, whether it is used or discarded. Nil if no content was received.
    func readBody() throws(ChunkRejection) -> ByteBuffer? {
        var received = input
        let content = try body.take(from: &received)
        take(input.readableBytes - received.readableBytes)
        if input.readableBytes == 0 { input = ByteBuffer() }
        return content
    }

    // MARK: The upstream's answer

    /// True if the response may end before the upstream's body does: it has no `Content-Length`.
    var mayEndEarly: Bool { plan.framing == .chunked || plan.framing == .untilClose }

    func sendInterim(_ head: ResponseHead) {
        writer.writeInterim(head, into: &loop.headWriter)
        sendHead()
    }

    func sendResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        guard let end = channelEnd else { return }
        if let head { append(head) }
        let content = plan.dropsBody ? nil : content
        let framing: OutgoingFraming = plan.framing == .chunked ? .chunked : .plain
        count(loop.outgoing.send(content, framing: framing, ends: ends, trailers: trailers, to: end))
    }

    private func append(_ head: ResponseHead) {
        let limit = exchange.configuration.limits.requestsPerConnection
        let mayKeepAlive = state.mayKeepAlive(
            isDraining: loop.isDraining, limit: limit, more: input.readableBytes > 0,
            requestEnded: exchange.requestEnded)
        if let limit, state.requests >= limit { loop.gateway.met(.requestsPerConnection) }
        plan = ResponsePlan(head, to: exchange.request.head.version, keepsAlive: mayKeepAlive)
        state.responseBegan(keepsAlive: plan.keepsAlive)
        following = .none
        writer.write(head, date: loop.clock.httpDate(at: EventLoopClock.now()), into: &loop.headWriter)
        loop.outgoing.begin(with: &loop.headWriter)
    }

    private var writer: DownstreamResponseHead {
        DownstreamResponseHead(
            plan: plan,
            requestVersion: exchange.request.head.version,
            requestIsHEAD: exchange.isHEAD,
            edits: exchange.configuration.authorizer.edits,
            requestID: exchange.record.requestID,
            crossOrigin: exchange.crossOriginFields,
            rateLimit: exchange.request.rateLimit,
            responseEdits: exchange.responseEdits,
        )
    }

    /// Sends the head that was just written.
    private func sendHead() {
        guard let end = channelEnd else { return }
        loop.outgoing.begin(with: &loop.headWriter)
        count(loop.outgoing.send(nil, framing: .plain, ends: false, to: end))
    }

    private func count(_ byteCount: Int) {
        exchange.record.bytesOut += byteCount
    }

    // MARK: Our own answer

    func sendAnswer(_ answer: OwnAnswer, rest: Int?, endsConnection: Bool) {
        guard let end = channelEnd else { return }
        let mayKeepAlive = !endsConnection && exchange.record.hasHead && clientMayContinue && gatewayMayContinue
        let fate = state.ownAnswerBegan(rest: rest, mayKeepAlive: mayKeepAlive)
        let content = answer.write(into: &loop.headWriter, exchange.answerTerms(fate))
        loop.outgoing.begin(with: &loop.headWriter, exchange.isHEAD ? [] : content)
        following = state.ownAnswerSent(rest: rest)
        count(withoutProcessing { loop.outgoing.send(nil, framing: .plain, ends: false, to: end) })
    }

    private var clientMayContinue: Bool {
        exchange.keepsConnection && (!state.inputEnded || input.readableBytes > 0)
    }

    private var gatewayMayContinue: Bool {
        let limit = exchange.configuration.limits.requestsPerConnection ?? .max
        if state.requests >= limit { loop.gateway.met(.requestsPerConnection) }
        return !loop.isDraining && state.requests < limit
    }

    func exchangeEnded() {
        if following == .none {
            perform(state.responseSent(requestEnded: exchange.requestEnded))
            process()
        } else {
            perform(following)
            following = .none
            processWhatWaited()
        }
    }

    // MARK: Tunnels

    func sendUpgrade(_ head: ResponseHead) {
        plan = ResponsePlan(.none, status: head.status, to: .http11, keepsAlive: false)
        writer.writeUpgrade(head, exchange.forwarding?.protocolOffer, into: &loop.headWriter)
        sendHead()
    }

    func sendTunnel(_ bytes: ByteBuffer) { channelEnd?.send(bytes) }

    func tunnelEnded() {
        perform(state.tunnelEnded())
        // Reading may be paused because the upstream did not read. From here on received bytes are discarded.
        process()
    }
}
