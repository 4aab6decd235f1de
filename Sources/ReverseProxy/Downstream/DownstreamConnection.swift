import HTTPMessages
import NIOCore
import RequestAuthorization

/// One connection from a client: the life of its requests, one after another.
///
/// Confined to its event loop, like the upstream connection that it leases for each request.
/// Its parts, in the order of a request's life: `+Requests`, `+Forwarding`, `+Responses`, `+Ending`.
final class DownstreamConnection: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let loop: EventLoopState
    let hop: DownstreamHop
    /// Its place in the loop's list.
    var slot = 0
    var context: ChannelHandlerContext?
    var state = DownstreamState()

    var parser: RequestHeadParser
    /// The generation whose limits the parser has.
    var parserGeneration: Int
    var request = AuthorizationRequest(head: EventLoopState.emptyHead)
    var exchange: Exchange
    var body: BodyReader
    /// What came and is not used up: the beginning of a head, or what waits for its turn.
    var input = ByteBuffer()

    /// Who carries the present request.
    var upstream: UpstreamConnection?
    /// Whether the request's head has gone to the upstream, so that the body may follow.
    var headIsSent = false
    var pendingAnswer: Task<Void, Never>?

    /// The tick at which something is too late; what, the state knows.
    var deadline: UInt64 = .max
    /// The tick from which an idle connection gives back its parsing storage; nil once it did.
    var storageDeadline: UInt64?
    /// What was waiting to be written at the last tick, to see whether the client takes anything.
    var unwritten = 0

    private var readIsHeld = false
    private var isProcessing = false
    private var isToProcessAgain = false

    init(on loop: EventLoopState, hop: DownstreamHop) {
        self.loop = loop
        self.hop = hop
        let configuration = loop.configuration
        parser = RequestHeadParser(limits: configuration.limits.head)
        parserGeneration = configuration.generation
        body = BodyReader(BodyFraming.none, limits: configuration.limits.head)
        exchange = loop.makeExchange()
        deadline = loop.clock.tick(after: configuration.deadlines.head)
    }

    var address: ClientAddress { hop.address }

    /// Whether more of a response can be written without piling up.
    var isWritable: Bool { context?.channel.isWritable ?? true }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        loop.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // A channel that never became active does not become inactive either.
        ended()
        self.context = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        if input.readableBytes == 0 {
            input = received
        } else {
            input.writeImmutableBuffer(received)
        }
        process()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            state.inputClosed()
            process()
        case ChannelEvent.outputClosed:
            if state.phase == .lingering { arm(FixedLimits.linger) }
        default:
            context.fireUserInboundEventTriggered(event)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable, let upstream {
            if state.responseBegan { arm(exchange.pause) }
            upstream.resumeReading()
        }
        context.fireChannelWritabilityChanged()
    }

    /// Reading goes on unless what came last waits for its turn.
    func read(context: ChannelHandlerContext) {
        if input.readableBytes > 0, state.reading != .head {
            readIsHeld = true
        } else {
            context.read()
        }
    }

    private func resumeReading() {
        guard readIsHeld, let context, input.readableBytes == 0 || state.reading == .head else { return }
        readIsHeld = false
        context.read()
    }

    // MARK: Processing

    /// Uses up what came, as far as that is possible now.
    ///
    /// Writing can bring other events in before it returns; those only ask for another round.
    func process() {
        guard !isProcessing else {
            isToProcessAgain = true
            return
        }
        isProcessing = true
        repeat {
            isToProcessAgain = false
            while input.readableBytes > 0, step() {}
            if state.inputEnded { fail(state.starved(isEmpty: input.readableBytes == 0 || holdsOnlyLineEnd)) }
        } while isToProcessAgain
        isProcessing = false
        if input.readableBytes == 0 { input = ByteBuffer() }
        resumeReading()
    }

    /// Writes while nothing of the input is used up.
    ///
    /// A write that fails reads what the socket still holds before it closes the channel. The next request must not begin there: it would
    /// take the place of the one whose answer is being written, which would then never be finished.
    func withoutProcessing(_ write: () -> Int) -> Int {
        let wasProcessing = isProcessing
        isProcessing = true
        defer { isProcessing = wasProcessing }
        return write()
    }

    /// Uses up what came in the meantime, if nobody else is about to.
    func processWhatWaited() {
        if isToProcessAgain, !isProcessing { process() }
    }

    /// Takes the next thing from the input; false if that needs more, or has to wait.
    private func step() -> Bool {
        switch state.reading {
        case .head: parseHead()
        case .body: relayBody()
        case .discarded: discardBody()
        case .lingering: discardAfterAnswer()
        case .tunnel: relayTunnel()
        case .held: false
        }
    }

    /// Does what a peer's silence or failure comes to.
    func fail(_ failure: DownstreamState.Failure) {
        switch failure {
        case .none: break
        case .close: closeWhenWritten()
        case .abort: abort()
        case .halfClose: endTunnelInput()
        // It did nothing with this one, so it may well take it a little later.
        case .answer(.upstreamRefused): reject(Rejection(.upstreamRefused, retryAfter: .seconds(1)))
        case .answer(let reason): reject(Rejection(reason))
        }
    }

    // MARK: Time

    func arm(_ time: TickCount) {
        deadline = loop.clock.tick(after: time)
    }

    /// A tick of the loop's clock.
    func tick(_ tick: UInt64) {
        if let storageDeadline, storageDeadline <= tick, state.phase == .idle { releaseStorage() }
        if unwritten > 0 || state.isAnswering { watchWriting() }
        if isStarvedByClient(at: tick) {
            loop.gateway.met(.bodyRate)
            deadline = tick
        }
        if let reason = exchange.streaming?.ending(at: EventLoopClock.now(), date: loop.clock.date(at: EventLoopClock.now())) {
            endStream(reason)
        } else if let end = exchange.streaming?.webSocketEnd {
            endTunnel(end)
        }
        guard deadline <= tick else { return }
        deadline = .max
        let failure = state.deadlinePassed(upstreamStalls: headIsSent && upstream?.isWritable == false)
        guard failure != .close else { return leave() }
        // Nothing is left for the client to take, so it is the upstream that is late.
        // An upstream that says nothing may be gone: others must not have to find that out one by one.
        if failure == .answer(.upstreamTimeout) { upstream?.session?.retire() }
        if failure == .abort, unwrittenBytes == 0 { exchange.reason = .upstreamTimeout }
        fail(failure)
        process()
    }

    /// Whether the client sends its body more slowly than it may; what an upstream does not take counts for nothing.
    private func isStarvedByClient(at tick: UInt64) -> Bool {
        // Who waits for 100 owes nothing, and who is answered already may well have stopped (RFC 9110 §10.1.1, RFC 9112 §9.5).
        let isOwed =
            !exchange.isPatient && state.reading == .body && !state.responseBegan
            && (!request.head.expectsContinue || body.byteCount > 0)
        guard isOwed, upstream?.isWritable == true else {
            exchange.bodyRate = BodyRate()
            return false
        }
        guard let least = exchange.configuration.leastBodyRate else { return false }
        return exchange.bodyRate.isTooLow(byteCount: exchange.bytesIn, least: least, at: tick)
    }

    /// A client that takes what we write, however slowly, is not late.
    private func watchWriting() {
        let pending = unwrittenBytes
        // A head that has begun has a deadline of its own, however slowly the last answer is taken.
        if pending < unwritten, state.isAnswering || state.phase == .idle { arm(exchange.pause) }
        unwritten = pending
    }

    var unwrittenBytes: Int {
        // A stream's channel must not be asked: it knows no such option.
        if let stream = hop.stream { return stream.byteCount }
        return (try? context?.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }

    private func releaseStorage() {
        storageDeadline = nil
        request = AuthorizationRequest(head: EventLoopState.emptyHead)
        parser.releaseStorage()
    }
}

@available(*, unavailable)
extension DownstreamConnection: Sendable {}
