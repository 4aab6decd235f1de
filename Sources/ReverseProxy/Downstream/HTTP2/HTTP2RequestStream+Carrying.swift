import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// Functions that the exchange calls on its stream.
extension HTTP2RequestStream: RequestCarrier {
    var isWritable: Bool { !state.isPaused }

    /// Unsent bytes: those that the flow-control window holds back on this stream, or else the output that all streams
    /// share.
    var unwrittenBytes: Int {
        guard let connection else { return 0 }
        let queued = connection.session.queuedByteCount(of: stream)
        return queued > 0 ? queued : connection.unwrittenBytes
    }

    // MARK: The request's body

    func takeBody() throws(RejectedBody) -> BodyPart {
        // Input received before a tunnel opens is not part of the body.
        guard length != 0 else { return BodyPart(content: nil, isLast: true) }
        let content = takeInput()
        countBody(content.readableBytes)
        exchange.record.bytesIn += content.readableBytes
        if let limit = exchange.bodyLimit, bodyByteCount > limit {
            throw RejectedBody(reason: .message(.bodyTooLarge))
        }
        let isLast = state.inputEnded || bodyRest == 0
        return BodyPart(
            content: content.readableBytes > 0 ? content : nil, isLast: isLast, trailers: isLast ? trailers : [])
    }

    func process() { consume() }

    // MARK: The upstream's answer

    /// True if the response may end before the upstream's body does: it has no `Content-Length`.
    var mayEndEarly: Bool { plan.framing == .chunked || plan.framing == .untilClose }

    func sendInterim(_ head: ResponseHead) {
        headWriter.writeInterim(head, into: &loop.fieldWriter)
        count(loop.fieldWriter.byteCount)
        loop.fieldWriter.hand(to: &loop.outgoingFields)
        session?.submitInterim(loop.outgoingFields, to: stream)
        connection?.wantsWriting()
    }

    func sendResponse(_ head: ResponseHead?, _ content: ByteBuffer?, ends: Bool, trailers: [UInt8]) {
        guard let connection else { return }
        var content = content
        if let head { plan = ResponsePlan(head, to: .http2, keepsAlive: true) }
        if plan.dropsBody { content = nil }
        let endsWithHead = head != nil && ends && (content?.readableBytes ?? 0) == 0 && trailers.isEmpty
        if let head {
            headWriter.write(head, date: loop.clock.httpDate(at: EventLoopClock.now()), into: &loop.fieldWriter)
            guard submitHead(endsStream: endsWithHead) else { return abort() }
        }
        if let content { send(content) }
        if ends, !endsWithHead { end(trailers) }
        connection.wantsWriting()
    }

    private var headWriter: DownstreamResponseHead {
        DownstreamResponseHead(
            plan: plan,
            requestVersion: .http2,
            requestIsHEAD: exchange.isHEAD,
            edits: exchange.configuration.authorizer.edits,
            requestID: exchange.record.requestID,
            crossOrigin: exchange.crossOriginFields,
            rateLimit: exchange.request.rateLimit,
            responseEdits: exchange.responseEdits,
        )
    }

    /// Submits the head that was just written. False if it is invalid.
    private func submitHead(endsStream: Bool) -> Bool {
        count(loop.fieldWriter.byteCount)
        loop.fieldWriter.hand(to: &loop.outgoingFields)
        return session?.submitHead(loop.outgoingFields, to: stream, endsStream: endsStream) ?? true
    }

    private func send(_ content: ByteBuffer) {
        guard let session, content.readableBytes > 0 else { return }
        count(content.readableBytes)
        state.queued(welcomesMore: session.append(content, to: stream))
    }

    private func end(_ trailers: [UInt8]) {
        guard !trailers.isEmpty else { return session?.end(stream) ?? () }
        loop.outgoingFields.fill(fromTrailers: trailers)
        count(trailers.count)
        session?.end(stream, trailers: loop.outgoingFields)
    }

    private func count(_ byteCount: Int) {
        exchange.record.bytesOut += byteCount
    }

    // MARK: Our own answer

    /// Sends an answer of the gateway's own. `endsConnection` is ignored: one stream must not close the connection.
    func sendAnswer(_ answer: OwnAnswer, rest: Int?, endsConnection: Bool) {
        let content = answer.write(into: &loop.fieldWriter, exchange.answerTerms(.keep))
        let isWithoutContent = content.isEmpty || exchange.isHEAD
        guard submitHead(endsStream: isWithoutContent) else { return abort() }
        if !isWithoutContent {
            send(ByteBuffer(bytes: content))
            end(answer.trailers)
        }
        answered(restOfRequest(isLittle: rest.map { $0 <= FixedLimits.unwantedBody } ?? false))
    }

    /// - Parameter isLittle: True if little or nothing of the request is still to come.
    private func restOfRequest(isLittle: Bool) -> RestOfRequest {
        // A client that asks for a tunnel ends its side only when we do.
        guard exchange.request.head.keepsAlive else { return .calledOff }
        return isLittle ? .awaited : .discarded
    }

    func exchangeEnded() {
        answered(restOfRequest(isLittle: exchange.requestEnded))
        letGoOfRequest()
    }

    // MARK: Tunnels

    func sendUpgrade(_ head: ResponseHead) {
        plan = ResponsePlan(.none, status: head.status, to: .http2, keepsAlive: true)
        headWriter.writeUpgrade(head, exchange.forwarding?.protocolOffer, into: &loop.fieldWriter)
        guard submitHead(endsStream: false) else { return abort() }
        connection?.wantsWriting()
    }

    func sendTunnel(_ bytes: ByteBuffer) {
        guard let session else { return }
        // The exchange has counted them.
        state.queued(welcomesMore: session.append(bytes, to: stream))
        connection?.wantsWriting()
    }

    /// Ends our side of the stream without a reset. The client ends its side when it receives that; a reset could
    /// overtake it.
    func tunnelEnded() {
        end([])
        answered(.awaited)
        letGoOfRequest()
    }

    // MARK: Closing

    func abort() { abort(.internalError) }

    func close() { abort(.internalError) }
}
