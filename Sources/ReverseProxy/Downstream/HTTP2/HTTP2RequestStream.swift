import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// One request on an HTTP/2 stream, and its answer.
///
/// It performs the actions of its ``HTTP2RequestState`` and holds unconsumed input. Its exchange judges and forwards;
/// `+Carrying` has the functions that the exchange calls. Reused for later requests, on any connection of its loop.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class HTTP2RequestStream {
    let exchange: RequestExchange
    let supplies: HTTP2Supplies
    /// Connection of the stream. Nil once the stream is over.
    @safe @exclusivity(unchecked) private(set) var connection: HTTP2Connection?
    @safe @exclusivity(unchecked) private(set) var stream = HTTP2Stream.none
    @safe @exclusivity(unchecked) var state = HTTP2RequestState()
    /// True if the connection's list of streams with input to process contains this stream.
    @safe @exclusivity(unchecked) var isReady = false

    /// Received content that was not consumed.
    @safe @exclusivity(unchecked) var input = ByteBuffer()
    /// Field lines of the request's trailer section.
    @safe @exclusivity(unchecked) var trailers: [UInt8] = []
    /// Announced content length. Nil if none was announced: the content ends with the stream.
    @safe @exclusivity(unchecked) private(set) var length: Int?
    /// Bytes of content taken by the exchange so far.
    @safe @exclusivity(unchecked) private(set) var bodyByteCount = 0
    @safe @exclusivity(unchecked) var plan = ResponsePlan(.none, status: 200, to: .http2, keepsAlive: true)

    /// Tick at which an answered stream is reset if it has not ended.
    @safe @exclusivity(unchecked) private var deadline: UInt64 = .max
    /// Tick at which the upload of an answered request is stopped.
    @safe @exclusivity(unchecked) private var uploadEnd: UInt64 = .max
    /// Unwritten bytes at the last tick. Fewer now means that the client is still reading.
    @safe @exclusivity(unchecked) private var unwritten = 0

    init(_ supplies: HTTP2Supplies, _ exchange: RequestExchange) {
        self.supplies = supplies
        self.exchange = exchange
    }

    deinit { exchange.dissolve() }

    var loop: LoopServices { supplies.loop }
    var session: HTTP2ServerSession? { connection?.session }

    // MARK: The request

    /// Begins a request with its field section.
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

    /// Takes received content, as a slice of the connection's input.
    func received(_ content: ByteBuffer, endsStream: Bool) {
        if endsStream { state.inputClosed() }
        guard content.readableBytes > 0 else { return }
        if input.readableBytes == 0 { input = content } else { input.writeImmutableBuffer(content) }
    }

    /// Takes the trailer section, which ends the client's side.
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

    /// Consumes received input, as far as possible now.
    func consume() {
        isReady = false
        guard state.isInProgress else { return discardUnwanted() }
        switch exchange.reading {
        case .question, .body: if hasBody { _ = exchange.receiveBody() }
        case .tunnel: consumeTunnel()
        case .head, .held: break
        }
    }

    /// True if the exchange has not seen all of the received body, or its end.
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

    /// Takes the received input, and returns its flow-control window to the client.
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

    /// Discards input received after the answer, and stops the upload once it is too much.
    private func discardUnwanted() {
        let count = input.readableBytes
        discardInput()
        if state.discarded(count) { dismissUpload() }
    }

    private func dismissUpload() {
        session?.dismissUpload(of: stream)
        connection?.wantsWriting()
    }

    /// Bytes of the announced content that are still to come. Nil if no length was announced and the client has not
    /// ended its side.
    var bodyRest: Int? {
        length.map { max(0, $0 &- bodyByteCount) } ?? (state.inputEnded && input.readableBytes == 0 ? 0 : nil)
    }

    // MARK: The answer

    /// Called when queued output was sent to the client.
    func queueDrained() {
        if state.queueDrained() { exchange.forwarding?.clientBecameWritable() }
    }

    /// Called when the answer is sent; the stream ends with it.
    func answered(_ rest: RestOfRequest) {
        // An answer of the gateway's own is sent before its exchange ends.
        guard state.isInProgress else { return }
        deadline = loop.clock.tick(after: exchange.configuration.deadlines.bodyIdle)
        if state.answered(rest) { dismissUpload() }
        if state.isDiscarding { uploadEnd = loop.clock.tick(after: FixedLimits.uploadFarewell) }
        discardUnwanted()
        connection?.wantsWriting()
    }

    /// Frees the storage of the answered and recorded request.
    ///
    /// No limit counts the stream now, and its client decides how long it lives: it may never end its side, or never
    /// read the answer. Storage for an ordinary head is kept only if the client has ended its side.
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

    /// Extends the deadline of a client that reads the answer, however slowly.
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

    // MARK: Closing

    /// Resets the stream so that the client sees an incomplete answer.
    func abort(_ code: HTTP2ErrorCode) {
        reset(code)
        // A request whose own answer could not be sent is recorded only after this.
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

    /// Called when the session closed the stream, or ended.
    func closed() {
        // The exchange must drop its reference in both cases: a request that is not reused would keep both alive.
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
    /// Announced content length. Nil if none was announced.
    fileprivate var announcedLength: Int? {
        switch self {
        case .none: 0
        case .length(let length): length
        case .chunked: nil
        }
    }
}
