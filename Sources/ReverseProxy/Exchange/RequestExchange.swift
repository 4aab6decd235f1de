import AuthorizationDoors
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import Synchronization
import TokenVerification

/// One request after another, each with its response, over any HTTP version.
///
/// It holds what both halves of a request work on: the request, its record, its client and its time. Until the verdict
/// its ``RequestJudging`` has the word, and its ``ForwardedRequest`` once it is permitted. Confined to its event loop,
/// like carrier and upstream connection.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class RequestExchange {
    let loop: LoopServices
    private let upstreams: Upstreams
    private let judging = RequestJudging()
    /// Made for the first request that is permitted; at a door none is forwarded.
    @safe @exclusivity(unchecked) private var forwarded: ForwardedRequest?

    @safe @exclusivity(unchecked) private(set) var hop: DownstreamHop
    /// Nil once the client is gone.
    @safe @exclusivity(unchecked) private(set) var carrier: (any RequestCarrier)?
    @safe @exclusivity(unchecked) var request = AuthorizationRequest(head: RequestExchange.emptyHead)
    @safe @exclusivity(unchecked) var record: RequestRecord
    @safe @exclusivity(unchecked) var isHEAD = false
    @safe @exclusivity(unchecked) private(set) var peerIsTrusted = false
    /// State of an open-ended exchange (gRPC, events, WebSocket). Nil for an ordinary one.
    @safe @exclusivity(unchecked) var streaming: StreamingExchange?
    /// The tick of the next time-out; the state decides which it is.
    @safe @exclusivity(unchecked) private var deadline: UInt64 = .max
    @safe @exclusivity(unchecked) private var bodyRate = BodyRate()

    /// No head: what there is between two requests.
    static let emptyHead = RequestHeadParser().head

    init(on loop: LoopServices, _ upstreams: Upstreams, hop: DownstreamHop) {
        self.loop = loop
        self.upstreams = upstreams
        self.hop = hop
        record = loop.makeRecord()
    }

    /// Begins with the requests of a carrier.
    func begin(on carrier: any RequestCarrier, hop: DownstreamHop) {
        self.carrier = carrier
        self.hop = hop
    }

    // MARK: The present request

    var configuration: ProxyConfiguration { record.configuration }

    /// The client, as far as it is known: for logs and limits.
    var client: (text: [UInt8], address: IPAddress?) {
        guard let door = hop.door else { return hop.address.client(of: request.head, configuration) }
        guard door.kind.asksByMessage else { return hop.address.stated(in: request.head, configuration) }
        return judging.statedClient?.client(of: request.head, configuration) ?? (hop.address.peer, nil)
    }

    /// The forwarding of the present request. Nil unless it was permitted.
    var forwarding: ForwardedRequest? { judging.isForwarded ? forwarded : nil }

    var isBusy: Bool { judging.isBusy }
    /// Whether a final response has begun to go out; still true afterwards, until the next head begins.
    var responseBegan: Bool { forwarding?.responseBegan ?? judging.isAnswered }
    /// Whether the whole request was received, body included.
    var requestEnded: Bool { forwarding?.requestEnded ?? judging.requestEnded }
    /// How bytes of the client are interpreted.
    var reading: RequestReading { forwarding?.reading ?? judging.reading }

    /// How long the body may be. Nil if there is no limit; a proxy's message is no body of its client's.
    var bodyLimit: Int? { judging.asksByMessage ? nil : configuration.limits.body }

    /// Whether the client of the connection may send another request on it, as far as its head says.
    var keepsConnection: Bool {
        judging.keepsConnection ?? (request.head.version == .http11 && request.head.keepsAlive)
    }

    /// While memory is short the client has to have taken everything.
    var isWritable: Bool {
        guard let carrier else { return true }
        return switch loop.gateway.memory.level {
        case .ample: carrier.isWritable
        case .short: carrier.unwrittenBytes == 0
        case .out: false
        }
    }

    // MARK: The head

    /// The first byte of a head is here.
    func headBegan() {
        record = loop.makeRecord()
        record.door = hop.door?.kind
        (isHEAD, peerIsTrusted, streaming, bodyRate) = (false, false, nil, BodyRate())
        request.answer = nil
        request.quotaAnswer = nil
        request.rateLimit = nil
        request.isAtDoor = false
        arm(configuration.deadlines.head)
        loop.gateway.requests.wrappingAdd(1, ordering: .relaxed)
        record.requestID = .made(loop.requestIDs.next(), loop.requestIDs.next())
        judging.headBegan(of: self)
    }

    /// What was received is no head.
    ///
    /// - Parameter fault: what is wrong with it, for the log.
    func headRejected(_ reason: MessageFault, _ fault: HeadFault?) {
        record.headFault = fault
        reject(Rejection(.message(reason)))
    }

    /// The head in `request` is complete.
    ///
    /// - Parameter isWhole: whether its first byte came with its last.
    func headReceived(isWhole: Bool) {
        deadline = .max
        record.hasHead = true
        // A head may arrive slowly; its verdict is by the present time, and by the configuration that runs now.
        record.configuration = loop.configuration
        // Most methods have another length, and to ask more than that copies the head.
        isHEAD = request.head.method.count == 4 && request.head.isHEAD
        peerIsTrusted = configuration.trusts(hop.address.peerAddress)
        if peerIsTrusted, hop.door == nil {
            record.requestID = RequestID(head: request.head, peerIsTrusted: true, using: &loop.requestIDs)
        }
        if request.head.version == .http2, request.head.isGRPC, !asksByConnect {
            streaming = StreamingExchange(.grpc, deadline: grpcDeadline)
        }
        takeCertificate()
        judging.headReceived(isWhole: isWhole, of: self)
    }

    /// When the client of gRPC no longer wants an answer. Nil if it does not say.
    private var grpcDeadline: Int64? {
        guard let timeout = request.head.grpcTimeout else { return nil }
        let (sum, overflow) = record.startedAt.addingReportingOverflow(timeout)
        return overflow ? nil : sum
    }

    /// Takes what the client showed in the TLS handshake. At a door that is the proxy's, and says nothing of who the
    /// client is.
    private func takeCertificate() {
        record.asksForCertificate = hop.asksForCertificate && hop.door == nil
        request.clientCertificate = hop.door == nil ? hop.clientCertificate : nil
    }

    /// Whether the client asks by HTTP/2's own form (RFC 8441 §4), in which any good answer says that the server has
    /// switched.
    var asksByConnect: Bool { request.head.version == .http2 && request.head.contains(.upgrade) }

    // MARK: The body, and what follows it

    /// Takes what was received of the body, or of a proxy's message; false if it has to wait.
    func receiveBody() -> Bool {
        if let forwarding { return forwarding.relayBody() }
        return judging.receiveBody(of: self)
    }

    /// The client ended its side.
    ///
    /// - Parameter isEmpty: whether everything that it sent is consumed.
    func clientInputEnded(isEmpty: Bool) {
        if let forwarding { return forwarding.inputEnded(isEmpty: isEmpty) }
        judging.inputEnded(isEmpty: isEmpty, of: self)
    }

    // MARK: The verdict

    /// Carries a permitted request to its upstream.
    ///
    /// - Parameter body: what of its body was held for the verdict.
    func forward(_ forwarding: consuming Forwarding, _ body: consuming HeldBody, at now: Int64) {
        let forwarded = forwarded ?? ForwardedRequest(of: self, upstreams)
        self.forwarded = forwarded
        forwarded.begin(forwarding, body, requestEnded: judging.requestEnded, at: now)
    }

    /// The request is its forwarding's from now on.
    func forwardingBegan() { judging.forwardingBegan(of: self) }

    /// The response, or the tunnel, is over.
    func forwardingEnded(requestEnded: Bool) {
        judging.forwardingEnded(requestEnded: requestEnded, of: self)
        finish()
    }

    /// Counts an event that no state expects.
    func unexpected() { loop.gateway.unexpectedEvent() }

    // MARK: Time

    /// The longest gap between two parts of a body.
    var idleTimeout: TickCount {
        usesStreamIdle ? configuration.deadlines.streamIdle : configuration.deadlines.bodyIdle
    }

    /// Whether `stream_idle` applies instead of `body_idle`.
    var usesStreamIdle: Bool { streaming?.isPatient ?? false }

    func arm(_ time: TickCount) {
        deadline = loop.clock.tick(after: time)
    }

    func disarm() { deadline = .max }

    func tick(_ tick: UInt64) {
        if isStarvedByClient(at: tick) {
            loop.gateway.met(.bodyRate)
            deadline = tick
        }
        if streaming != nil { tickStream() }
        guard deadline <= tick else { return }
        deadline = .max
        if let forwarding { forwarding.deadlinePassed() } else { judging.deadlinePassed(of: self) }
        carrier?.process()
    }

    private func tickStream() {
        let now = EventLoopClock.now()
        if let reason = streaming?.ending(at: now, date: loop.clock.date(at: now)) {
            endStream(reason)
        } else if let end = streaming?.webSocketEnd {
            forwarding?.endTunnel(end)
        }
    }

    private func endStream(_ reason: RejectionReason) {
        if let forwarding { return forwarding.streamExpired(reason) }
        judging.streamExpired(reason, of: self)
    }

    /// Whether the client sends its body more slowly than it may; time in which the upstream does not read is not
    /// counted.
    private func isStarvedByClient(at tick: UInt64) -> Bool {
        // A client that waits for 100 need not send, and one that is answered already may have stopped (RFC 9110
        // §10.1.1, RFC 9112 §9.5).
        let isOwed =
            !usesStreamIdle && reading == .body && !responseBegan
            && (!request.head.expectsContinue || (carrier?.bodyByteCount ?? 0) > 0)
        guard isOwed, forwarding?.upstreamIsWritable ?? true, !loop.memoryWasShort else {
            bodyRate = BodyRate()
            return false
        }
        guard let least = configuration.leastBodyRate else { return false }
        return bodyRate.isTooLow(byteCount: record.bytesIn, least: least, at: tick)
    }

    // MARK: The deny list

    /// Marks of the token of a stream that begins. Nil where no request is asked about too, and the token is
    /// read once a list is there.
    var streamMarks: StreamMarks? {
        guard configuration.authorizer.hasDenyList else { return nil }
        return readMarks
    }

    private var readMarks: StreamMarks? {
        configuration.authorizer.denyMarks(of: request, record.facts).map { StreamMarks($0) }
    }

    /// The response turns out to be open-ended.
    func beginStream(_ kind: StreamingExchange.Kind) {
        let end = configuration.authorizer.streamEnd(of: request, record.facts)
        streaming = StreamingExchange(kind, end: end, marks: streamMarks)
    }

    /// Ends what a token opened that is denied by now. Whatever else is under way ends as it would.
    func judgeStream() {
        guard streaming != nil, configuration.authorizer.mayDenyStreams else { return }
        if streaming?.marks == nil { streaming?.marks = readMarks }
        guard let marks = streaming?.marks,
            configuration.authorizer.denies(marks.value, at: loop.clock.date(at: EventLoopClock.now()))
        else { return }
        endStream(.token(.denied))
    }

    /// The deny list changed.
    func denialsChanged() {
        guard streaming != nil else { return }
        judgeStream()
        carrier?.process()
    }

    // MARK: Ends

    /// Records the request and releases what it held.
    func finish() {
        // Where the upstream's answer has just ended, the clock was read for that.
        let now = record.upstreamEndedAt ?? EventLoopClock.now()
        loop.requestEnded(record, at: now)
        if let door = hop.door { loop.count(record, at: door) }
        if loop.logsRequests, !record.isUnlogged {
            let client = record.hasHead ? client.text : hop.address.peer
            loop.log(record, request, client: client, at: now)
        }
        // This also releases the token, whose claims would otherwise be kept for as long as the connection is idle.
        record.facts = nil
        judging.letGo()
        deadline = .max
    }

    /// The client's connection or stream is gone.
    func clientGone() {
        if let forwarding { forwarding.clientGone() } else { judging.clientGone(of: self) }
        deadline = .max
        end()
    }

    /// The carrier carries no more requests.
    func end() { carrier = nil }

    /// The exchange is not used again: it and what forwards its requests, which hold each other, let go.
    func dissolve() { forwarded = nil }

    /// Forgets what the client sent, and gives all storage of it back.
    func releaseStorage() {
        request = AuthorizationRequest(head: Self.emptyHead)
    }

    /// Forgets what the client sent, and gives parsing storage back if it is more than an ordinary head needs.
    func forgetRequest() {
        if request.head.bytes.capacity > Self.ordinaryHead { releaseStorage() } else { request.head.removeAll() }
    }

    private static let ordinaryHead = 8 * 1024

    // MARK: Answers of the gateway's own

    func reject(_ rejection: Rejection, endsConnection: Bool = false) {
        guard isBusy else { return }
        record.reason = rejection.reason
        let isCall = streaming?.kind == .grpc
        answer(
            isCall ? .grpcRejection(rejection) : .rejection(rejection),
            // At a door the message that is wrong is not the one that the connection carries.
            endsConnection: endsConnection || rejection.reason.endsConnection && !(hop.door != nil && record.hasHead))
    }

    /// Refuses a request because memory is short.
    func refuseForMemory() {
        loop.gateway.met(.memory)
        // Its buffers are part of the excess memory.
        reject(Rejection(.gateway(.overloaded), retryAfter: .seconds(1)), endsConnection: true)
    }

    /// Redirects the client to https.
    func send(to redirect: HTTPSRedirect) {
        guard let location = redirect.location(for: request.head) else {
            return reject(Rejection(.message(.badRequest)))
        }
        answer(.redirect(to: location), endsConnection: false)
    }

    func answer(_ answer: OwnAnswer, endsConnection: Bool) {
        let rest = restOfBody
        let answer = hop.door.map { fitted(answer, at: $0) } ?? answer
        guard let carrier, isBusy else { return }
        let hadEnded = requestEnded
        forwarding?.answered()
        judging.answered(requestEnded: hadEnded, of: self)
        record.status = answer.status
        carrier.sendAnswer(
            judging.asksByMessage ? .check(checkAnswer(answer)) : answer, rest: rest, endsConnection: endsConnection)
        finish()
        carrier.exchangeEnded()
    }

    /// What every response to the present request states.
    func answerTerms(_ fate: ConnectionFate) -> AnswerTerms {
        AnswerTerms(
            date: loop.clock.httpDate(at: EventLoopClock.now()), requestID: record.requestID.text, fate: fate,
            crossOrigin: crossOriginFields, rateLimit: request.rateLimit, form: hop.door?.kind.answerForm ?? .client)
    }

    /// What the answer to the present request states about pages of other origins.
    var crossOriginFields: CrossOriginFields? {
        // Most resources have no policy; the facts are not copied for that.
        guard let verdict = record.facts?.origin, let resource = record.facts?.resource else { return nil }
        return configuration.authorizer.crossOriginFields(verdict, of: resource, for: request.head)
    }

    /// How much of the body is still to come. Nil if it is not known, or the client may decide not to send it.
    private var restOfBody: Int? {
        guard !requestEnded else { return 0 }
        guard reading == .held || judging.isReading, !request.head.expectsContinue else { return nil }
        return carrier?.bodyRest
    }
}

@available(*, unavailable)
extension RequestExchange: Sendable {}
