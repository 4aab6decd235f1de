import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// What the stream does for its exchange.
extension HTTP2RequestStream: RequestCarrier {
    var isWritable: Bool { !state.isPaused }

    /// What the client's window holds back is the stream's own; the rest is in what all streams share.
    var unwrittenBytes: Int {
        guard let connection else { return 0 }
        let queued = connection.session.queuedByteCount(of: stream)
        return queued > 0 ? queued : connection.unwrittenBytes
    }

    // MARK: The request's body

    func takeBody() throws(RejectedBody) -> BodyPart {
        // What is received before a tunnel is not part of the body.
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

    /// One that promised a length cannot end before it.
    var mayEndEarly: Bool { plan.framing == .chunked || plan.framing == .untilClose }

    func sendInterim(_ head: ResponseHead) {
        headWriter.writeInterim(head, into: &loop.fieldWriter)
        count(loop.fieldWriter.bytes.count)
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
        )
    }

    /// Submits the head that was just written; false if it may not be sent.
    private func submitHead(endsStream: Bool) -> Bool {
        count(loop.fieldWriter.bytes.count)
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

    /// A stream does not end the connection.
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

    /// - Parameter isLittle: whether little or nothing of the request is still to come.
    private func restOfRequest(isLittle: Bool) -> RestOfRequest {
        // One that wants a tunnel does not end its side without being asked.
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

    /// The client ends its side when it has seen the end of ours; a reset could overtake that.
    func tunnelEnded() {
        end([])
        answered(.awaited)
        letGoOfRequest()
    }

    // MARK: Ends

    func abort() { abort(.internalError) }

    func close() { abort(.internalError) }
}
