import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// One request on a stream of HTTP/2, and its answer.
///
/// It carries out what its ``HTTP2RequestState`` says, and keeps what was received and not consumed; judging and
/// relaying are its exchange's. `+Carrying` is what it does for that. Used again for another request, on any connection
/// of its loop.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class HTTP2RequestStream {
    let exchange: RequestExchange
    let supplies: HTTP2Supplies
    /// Nil once the stream is over.
    @safe @exclusivity(unchecked) private(set) var connection: HTTP2Connection?
    @safe @exclusivity(unchecked) private(set) var stream = HTTP2Stream.none
    @safe @exclusivity(unchecked) var state = HTTP2RequestState()
    /// Whether it is in its connection's list of those that have something to consume.
    @safe @exclusivity(unchecked) var isReady = false

    /// Content that was received and not consumed.
    @safe @exclusivity(unchecked) var input = ByteBuffer()
    /// The field lines of the request's trailer section.
    @safe @exclusivity(unchecked) var trailers: [UInt8] = []
    /// How much content was announced; nil: it ends with the stream.
    @safe @exclusivity(unchecked) private(set) var length: Int?
    /// Content that was taken for the exchange.
    @safe @exclusivity(unchecked) private(set) var bodyByteCount = 0
    @safe @exclusivity(unchecked) var plan = ResponsePlan(.none, status: 200, to: .http2, keepsAlive: true)

    /// The tick at which a stream whose answer is out has ended, one way or another.
    @safe @exclusivity(unchecked) private var deadline: UInt64 = .max
    /// The tick from which an upload behind its answer is called off.
    @safe @exclusivity(unchecked) private var uploadEnd: UInt64 = .max
    /// Unwritten bytes at the last tick; fewer now means that the client is still reading.
    @safe @exclusivity(unchecked) private var unwritten = 0

    init(_ supplies: HTTP2Supplies, _ exchange: RequestExchange) {
        self.supplies = supplies
        self.exchange = exchange
    }

    deinit { exchange.dissolve() }

    var loop: LoopServices { supplies.loop }
    var session: HTTP2ServerSession? { connection?.session }

    // MARK: The request

    /// Begins with a request's field section.
    func begin(_ stream: HTTP2Stream, on connection: HTTP2Connection, _ section: FieldBlock, endsStream: Bool) {
        self.stream = stream
        self.connection = connection
        state = HTTP2RequestState()
        if endsStream { state.inputClosed() }
        let refused = supplies.readHead(section, endsStream: endsStream, into: &exchange.request.head)
        exchange.begin(on: self, hop: connection.hop)
        exchange.headBegan()
        exchange.record.bytesIn = section.bytes.count
        guard let (refusal, fault) = refused else {
            length = exchange.request.head.framing.announcedLength
            exchange.headReceived(isWhole: true)
            return
        }
        if supplies.methodIsHEAD { exchange.isHEAD = true }
        if refusal.isMalformed {
            loop.gateway.met(.malformedStreams)
            exchange.record.isUnlogged = !connection.logsMalformed()
        }
        exchange.headRejected(refusal.fault, fault)
    }

    /// Content, as a slice of what the connection received.
    func received(_ content: ByteBuffer, endsStream: Bool) {
        if endsStream { state.inputClosed() }
        guard content.readableBytes > 0 else { return }
        if input.readableBytes == 0 { input = content } else { input.writeImmutableBuffer(content) }
    }

    /// A trailer section, which ends the client's side.
    func received(trailers section: FieldBlock) {
        do throws(TrailerMalformation) {
            let lines = try supplies.readTrailers(section)
            if state.isInProgress { trailers = lines }
            state.inputClosed()
        } catch {
            loop.gateway.met(.malformedStreams)
            abort(.protocolError)
        }
    }

    /// Consumes what was received, as far as that is possible now.
    func consume() {
        isReady = false
        guard state.isInProgress else { return discardUnwanted() }
        switch exchange.reading {
        case .question, .body: if hasBody { _ = exchange.receiveBody() }
        case .tunnel: consumeTunnel()
        case .head, .held: break
        }
    }

    /// Whether there is something of the body that the exchange has not seen.
    private var hasBody: Bool { input.readableBytes > 0 || state.inputEnded }

    private func consumeTunnel() {
        if input.readableBytes > 0 {
            switch exchange.forwarding?.tunnelInput {
            case .held, nil: return
            case .discarded: discardInput()
            case .relayed: exchange.forwarding?.relayToTunnel(takeInput())
            }
        }
        if state.reportsEnd() { exchange.clientInputEnded(isEmpty: true) }
    }

    /// Takes what was received, and lets the client send as much again.
    func takeInput() -> ByteBuffer {
        var taken = ByteBuffer()
        swap(&taken, &input)
        giveBack(taken.readableBytes)
        return taken
    }

    func countBody(_ byteCount: Int) { bodyByteCount &+= byteCount }

    private func giveBack(_ byteCount: Int) {
        guard byteCount > 0, let connection else { return }
        connection.session.consume(stream, byteCount)
        connection.wantsWriting()
    }

    func discardInput() { _ = takeInput() }

    /// Throws away what was received behind the answer, and calls the rest off once it is too much.
    private func discardUnwanted() {
        let count = input.readableBytes
        discardInput()
        if state.discarded(count) { dismissUpload() }
    }

    private func dismissUpload() {
        session?.dismissUpload(of: stream)
        connection?.wantsWriting()
    }

    /// What is still to come of content that was announced.
    var bodyRest: Int? {
        length.map { max(0, $0 &- bodyByteCount) } ?? (state.inputEnded && input.readableBytes == 0 ? 0 : nil)
    }

    // MARK: The answer

    /// What was queued is on its way to the client.
    func queueDrained() {
        if state.queueDrained() { exchange.forwarding?.clientBecameWritable() }
    }

    /// The answer is out, and the stream ends with it.
    func answered(_ rest: RestOfRequest) {
        // Our own answer is out before its exchange ends.
        guard state.isInProgress else { return }
        deadline = loop.clock.tick(after: exchange.configuration.deadlines.bodyIdle)
        if state.answered(rest) { dismissUpload() }
        if state.isDiscarding { uploadEnd = loop.clock.tick(after: FixedLimits.uploadFarewell) }
        discardUnwanted()
        connection?.wantsWriting()
    }

    /// Gives back what the request holds, now that it is answered and recorded.
    ///
    /// No limit counts the stream any more, and its client decides how long it stays: it may never end its side, or
    /// take the answer. Storage for an ordinary head is kept only where nothing but the answer is left to wait for.
    func letGoOfRequest() {
        trailers = []
        if state.inputEnded { exchange.forgetRequest() } else { exchange.releaseStorage() }
    }

    // MARK: Time

    func tick(_ tick: UInt64) {
        if unwritten > 0 || exchange.responseBegan { watchWriting() }
        if state.isInProgress { exchange.tick(tick) }
        if uploadEnd <= tick {
            uploadEnd = .max
            if state.discardingExpired() { dismissUpload() }
        }
        guard deadline <= tick else { return }
        reset(unwrittenBytes > 0 ? .cancel : .noError)
    }

    /// A client that takes what we write, however slowly, is not late.
    private func watchWriting() {
        let pending = unwrittenBytes
        defer { unwritten = pending }
        guard pending < unwritten else { return }
        if state.isInProgress {
            if exchange.responseBegan { exchange.arm(exchange.idleTimeout) }
        } else if deadline != .max {
            deadline = loop.clock.tick(after: exchange.idleTimeout)
        }
    }

    // MARK: Ends

    /// Ends the stream so that the client sees that the answer is not complete.
    func abort(_ code: HTTP2ErrorCode) {
        reset(code)
        // One whose own answer could not be sent is recorded only after this.
        let isUnrecorded = exchange.isBusy
        exchange.clientGone()
        if isUnrecorded { exchange.releaseStorage() }
    }

    private func reset(_ code: HTTP2ErrorCode) {
        deadline = .max
        guard state.reset(), let connection else { return }
        discardInput()
        connection.session.reset(stream, code)
        connection.streamReset()
    }

    /// The session has forgotten the stream, or is over itself.
    func closed() {
        // Either way the exchange knows it no more: one that is not used again would keep both alive.
        if state.closed() { exchange.clientGone() } else { exchange.end() }
        connection = nil
        stream = .none
        input = ByteBuffer()
        trailers = []
        length = nil
        bodyByteCount = 0
        deadline = .max
        uploadEnd = .max
        unwritten = 0
    }
}

@available(*, unavailable)
extension HTTP2RequestStream: Sendable {}

extension BodyFraming {
    /// How much content was announced; nil if it was not said.
    fileprivate var announcedLength: Int? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }
}
