import AuthorizationDoors
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import Synchronization
import TokenVerification

/// Handler of the requests on one connection or stream, one after another, with their responses. For any HTTP version.
///
/// It holds the state shared by both phases of a request: the request, its record, its client and its deadline. Its
/// ``RequestJudging`` handles the request until the verdict, and its ``ForwardedRequest`` once it is permitted.
/// Confined to its event loop, like its carrier and upstream connection.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class RequestExchange {
    let loop: LoopServices
    private let upstreams: Upstreams
    private let judging = RequestJudging()
    /// Created for the first permitted request. Always nil at a door, where requests are not forwarded.
    @safe @exclusivity(unchecked) private var forwarded: ForwardedRequest?

    @safe @exclusivity(unchecked) private(set) var hop: DownstreamHop
    /// Nil once the client left.
    @safe @exclusivity(unchecked) private(set) var carrier: (any RequestCarrier)?
    @safe @exclusivity(unchecked) var request = AuthorizationRequest(head: RequestExchange.emptyHead)
    @safe @exclusivity(unchecked) var record: RequestRecord
    @safe @exclusivity(unchecked) var isHEAD = false
    @safe @exclusivity(unchecked) private(set) var peerIsTrusted = false
    /// State of an open-ended exchange (gRPC, event stream, WebSocket). Nil for an ordinary one.
    @safe @exclusivity(unchecked) var streaming: StreamingExchange?
    /// Bounds of the request's resource or rule. Nil before the request is permitted, and if they set none.
    @safe @exclusivity(unchecked) private var bounds: RequestBounds?
    /// Tick of the next time-out. The state decides which time-out it is.
    @safe @exclusivity(unchecked) private var deadline: UInt64 = .max
    @safe @exclusivity(unchecked) private var bodyRate = BodyRate()

    /// Empty head, used between two requests.
    static let emptyHead = RequestHeadParser().head

    init(on loop: LoopServices, _ upstreams: Upstreams, hop: DownstreamHop) {
        self.loop = loop
        self.upstreams = upstreams
        self.hop = hop
        record = loop.makeRecord()
    }

    /// Binds the exchange to the carrier of its next requests.
    func begin(on carrier: any RequestCarrier, hop: DownstreamHop) {
        self.carrier = carrier
        self.hop = hop
    }

    // MARK: The current request

    var configuration: ProxyConfiguration { record.configuration }

    /// Client address, as far as known, for logs and limits.
    var client: (text: [UInt8], address: IPAddress?) {
        guard let door = hop.door else {
            // The check avoids copying the head.
            guard request.head.contains(.xForwardedFor) else { return (hop.address.peer, hop.address.peerAddress) }
            return hop.address.client(of: request.head, configuration)
        }
        guard door.kind.asksByMessage else { return hop.address.stated(in: request.head, configuration) }
        return judging.statedClient?.client(of: request.head, configuration) ?? (hop.address.peer, nil)
    }

    /// Forwarding of the current request. Nil unless it was permitted.
    var forwarding: ForwardedRequest? { judging.isForwarded ? forwarded : nil }

    var isBusy: Bool { judging.isBusy }
    /// True if a final response has begun. Stays true until the next head begins.
    var responseBegan: Bool { forwarding?.responseBegan ?? judging.isAnswered }
    /// True if the whole request was received, including its body.
    var requestEnded: Bool { forwarding?.requestEnded ?? judging.requestEnded }
    /// Interpretation of the client's next bytes.
    var reading: RequestReading { forwarding?.reading ?? judging.reading }

    /// Largest body that is allowed, in bytes. Nil if unlimited, or if the content is a proxy's message at a door.
    var bodyLimit: Int? { judging.asksByMessage ? nil : bounds?.body ?? configuration.limits.body }

    /// Time limit from the end of the request until the upstream's response head.
    var firstByteTimeout: TickCount { bounds?.firstByte ?? configuration.deadlines.firstByte }

    /// True if the request's head allows another request on the connection.
    var keepsConnection: Bool {
        judging.keepsConnection ?? (request.head.version == .http11 && request.head.keepsAlive)
    }

    /// True if more of an answer may be written. While memory is short, only if the client has taken everything.
    var isWritable: Bool {
        guard let carrier else { return true }
        return switch loop.gateway.memory.level {
        case .ample: carrier.isWritable
        case .short: carrier.unwrittenBytes == 0
        case .out: false
        }
    }

    // MARK: The head

    /// Called at the first byte of a head.
    func headBegan() {
        record = loop.makeRecord()
        record.door = hop.door?.kind
        (isHEAD, peerIsTrusted, streaming, bodyRate) = (false, false, nil, BodyRate())
        bounds = nil
        request.answer = nil
        request.quotaAnswer = nil
        request.rateLimit = nil
        request.isAtDoor = false
        arm(configuration.deadlines.head)
        loop.gateway.requests.wrappingAdd(1, ordering: .relaxed)
        record.requestID = .made(loop.requestIDs.next(), loop.requestIDs.next())
        judging.headBegan(of: self)
    }

    /// Rejects received bytes that are not a valid head.
    ///
    /// - Parameter fault: The exact error, for the log.
    func headRejected(_ reason: MessageFault, _ fault: HeadFault?) {
        record.headFault = fault
        reject(Rejection(.message(reason)))
    }

    /// Called when the head in `request` is complete.
    ///
    /// - Parameter isWhole: True if its first byte arrived together with its last.
    func headReceived(isWhole: Bool) {
        deadline = .max
        record.hasHead = true
        // A head may arrive slowly. It is judged with the current time and the current configuration.
        record.configuration = loop.configuration
        // Most methods have another length; the check avoids copying the head.
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

    /// Time at which the gRPC client stops waiting; monotonic, in nanoseconds. Nil if it states none.
    private var grpcDeadline: Int64? {
        guard let timeout = request.head.grpcTimeout else { return nil }
        let (sum, overflow) = record.startedAt.addingReportingOverflow(timeout)
        return overflow ? nil : sum
    }

    /// Takes the client certificate of the TLS handshake. At a door the certificate is the proxy's and does not
    /// identify the client, so it is not used.
    private func takeCertificate() {
        record.asksForCertificate = hop.asksForCertificate && hop.door == nil
        request.clientCertificate = hop.door == nil ? hop.clientCertificate : nil
    }

    /// True for extended CONNECT (RFC 8441 §4), where any 2xx answer means that the server switched protocols.
    var asksByConnect: Bool { request.head.version == .http2 && request.head.contains(.upgrade) }

    // MARK: The body, and the end of input

    /// Takes received parts of the body, or of a proxy's message. False if they have to wait.
    func receiveBody() -> Bool {
        if let forwarding { return forwarding.relayBody() }
        return judging.receiveBody(of: self)
    }

    /// Called when the client closed its side.
    ///
    /// - Parameter isEmpty: True if all bytes it sent are consumed.
    func clientInputEnded(isEmpty: Bool) {
        if let forwarding { return forwarding.inputEnded(isEmpty: isEmpty) }
        judging.inputEnded(isEmpty: isEmpty, of: self)
    }

    // MARK: The verdict

    /// Takes the bounds that the resource or the rule of the permitted request sets.
    func takeBounds() {
        // Reading the rule copies the facts, which most configurations need not pay.
        guard !configuration.bounds.isEmpty else { return }
        bounds = configuration.bounds.bounds(of: record.facts?.rule, record.facts?.resource)
    }

    /// Forwards a permitted request to its upstream.
    ///
    /// - Parameter body: Part of its body that was held for the verdict.
    func forward(_ forwarding: consuming Forwarding, _ body: consuming HeldBody, at now: Int64) {
        let forwarded = forwarded ?? ForwardedRequest(of: self, upstreams)
        self.forwarded = forwarded
        forwarded.begin(forwarding, body, requestEnded: judging.requestEnded, at: now)
    }

    /// Called when its ``ForwardedRequest`` takes over the request.
    func forwardingBegan() { judging.forwardingBegan(of: self) }

    /// Called when the response, or the tunnel, ended.
    func forwardingEnded(requestEnded: Bool) {
        judging.forwardingEnded(requestEnded: requestEnded, of: self)
        finish()
    }

    /// Counts an event that no state expects.
    func unexpected() { loop.gateway.unexpectedEvent() }

    // MARK: Time

    /// Longest gap between two parts of a body.
    var idleTimeout: TickCount {
        usesStreamIdle ? configuration.deadlines.streamIdle : configuration.deadlines.bodyIdle
    }

    /// True if `stream_idle` applies instead of `body_idle`.
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

    /// Notes that the stream is ended now because its permission ended. The deadline of the client is not such an end.
    func noteStreamEnd(_ reason: RejectionReason) {
        if case .upstream = reason { return }
        if record.streamEnd == nil { record.streamEnd = loop.clock.date(at: EventLoopClock.now()) }
    }

    private func endStream(_ reason: RejectionReason) {
        if let forwarding { return forwarding.streamExpired(reason) }
        judging.streamExpired(reason, of: self)
    }

    /// True if the client sends its body more slowly than permitted. Time in which the upstream does not read is not
    /// counted.
    private func isStarvedByClient(at tick: UInt64) -> Bool {
        // A client that waits for 100 need not send, and one that is already answered may have stopped (RFC 9110
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

    /// Deny list marks of the token that opens a stream. Nil without a deny list; ``judgeStream()`` then reads the
    /// token once there is one.
    var streamMarks: StreamMarks? {
        guard configuration.authorizer.hasDenyList else { return nil }
        return readMarks
    }

    private var readMarks: StreamMarks? {
        configuration.authorizer.denyMarks(of: request, record.facts).map { StreamMarks($0) }
    }

    /// Called when the response turns out to be open-ended.
    func beginStream(_ kind: StreamingExchange.Kind) {
        let end = configuration.authorizer.streamEnd(of: request, record.facts)
        streaming = StreamingExchange(kind, end: end, marks: streamMarks)
    }

    /// Ends the stream if its token is now denied. Ordinary exchanges are not affected.
    func judgeStream() {
        guard streaming != nil, configuration.authorizer.mayDenyStreams else { return }
        if streaming?.marks == nil { streaming?.marks = readMarks }
        guard let marks = streaming?.marks,
            configuration.authorizer.denies(marks.value, at: loop.clock.date(at: EventLoopClock.now()))
        else { return }
        endStream(.token(.denied))
    }

    /// Called when the deny list changed.
    func denialsChanged() {
        guard streaming != nil else { return }
        judgeStream()
        carrier?.process()
    }

    // MARK: Ends

    /// Records the request and releases its resources.
    func finish() {
        // If the upstream's answer just ended, the clock was read for that.
        let now = record.upstreamEndedAt ?? EventLoopClock.now()
        loop.requestEnded(record, at: now)
        if let door = hop.door { loop.count(record, at: door) }
        if let sample = configuration.sample { endTrace(sample, at: now) }
        if loop.notesRequests { loop.note(record, &request, client: shownClient, at: now) }
        // This also releases the token, whose claims would otherwise be kept while the connection is idle.
        record.facts = nil
        judging.letGo()
        deadline = .max
    }

    /// Client address for the access log, the history and spans.
    var shownClient: (text: [UInt8], address: IPAddress?) {
        record.hasHead ? client : (hop.address.peer, hop.address.peerAddress)
    }

    /// Called when the client's connection or stream closed.
    func clientGone() {
        if let forwarding { forwarding.clientGone() } else { judging.clientGone(of: self) }
        deadline = .max
        end()
    }

    /// Detaches the carrier, which carries no further requests.
    func end() { carrier = nil }

    /// Breaks the reference cycle with its ``ForwardedRequest``. The exchange is not used again.
    func dissolve() { forwarded = nil }

    /// Discards the request and frees all its storage.
    func releaseStorage() {
        request = AuthorizationRequest(head: Self.emptyHead)
    }

    /// Discards the request. Frees its storage only if it is larger than an ordinary head needs.
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
            // At a door a message error is in the stated request, not in the connection's own message.
            endsConnection: endsConnection || rejection.reason.endsConnection && !(hop.door != nil && record.hasHead))
    }

    /// Refuses a request because memory is short.
    func refuseForMemory() {
        loop.gateway.met(.memory)
        // The connection closes too, because its buffers are part of the excess memory.
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
        guard let door = hop.door else { return deliver(answer, status: answer.status, endsConnection) }
        let fitted = fitted(answer, at: door)
        deliver(judging.asksByMessage ? .check(checkAnswer(fitted)) : fitted, status: fitted.status, endsConnection)
    }

    private func deliver(_ answer: OwnAnswer, status: Int, _ endsConnection: Bool) {
        let rest = restOfBody
        guard let carrier, isBusy else { return }
        let hadEnded = requestEnded
        forwarding?.answered()
        judging.answered(requestEnded: hadEnded, of: self)
        record.status = status
        carrier.sendAnswer(answer, rest: rest, endsConnection: endsConnection)
        finish()
        carrier.exchangeEnded()
    }

    /// Bytes of the body still to come. Nil if unknown, or if the client may not send them.
    private var restOfBody: Int? {
        guard !requestEnded else { return 0 }
        guard reading == .held || judging.isReading, !request.head.expectsContinue else { return nil }
        return carrier?.bodyRest
    }
}

@available(*, unavailable)
extension RequestExchange: Sendable {}
