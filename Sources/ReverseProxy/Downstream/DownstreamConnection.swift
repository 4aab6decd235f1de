import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// One HTTP/1.1 connection from a client, carrying one request after another.
///
/// It performs the actions of its ``DownstreamState`` and holds the bytes, channel and parser. Its exchange holds the
/// request in progress; `+Carrying` has the functions that the exchange calls. Confined to its event loop.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class DownstreamConnection: ChannelDuplexHandler, LoopConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let loop: LoopServices
    let hop: DownstreamHop
    let exchange: RequestExchange
    @safe @exclusivity(unchecked) var slot = 0
    @safe @exclusivity(unchecked) private(set) var channelEnd: ChannelEnd?
    @safe @exclusivity(unchecked) var state = DownstreamState()

    @safe @exclusivity(unchecked) private var parser: RequestHeadParser
    /// Configuration generation whose limits the parser uses.
    @safe @exclusivity(unchecked) private var parserGeneration: Int
    @safe @exclusivity(unchecked) var body: BodyReader
    /// Received but unconsumed bytes: a partial head, or input held until the current request ends.
    @safe @exclusivity(unchecked) var input = ByteBuffer()
    @safe @exclusivity(unchecked) var plan = ResponsePlan(.none, status: 200, to: .http11, keepsAlive: false)
    /// Action to perform once the gateway's own answer, which is being written, is recorded.
    @safe @exclusivity(unchecked) var following = DownstreamState.Action.none

    /// Tick at which the wait between two requests, or after the last answer, times out.
    @safe @exclusivity(unchecked) private var deadline: UInt64 = .max
    /// Tick at which an idle connection frees its parsing storage. Nil once it did.
    @safe @exclusivity(unchecked) private var storageDeadline: UInt64?
    /// Unwritten bytes at the last tick. Fewer now means that the client is still reading.
    @safe @exclusivity(unchecked) private var unwritten = 0

    @safe @exclusivity(unchecked) private var readIsHeld = false
    @safe @exclusivity(unchecked) private var isProcessing = false
    @safe @exclusivity(unchecked) private var isToProcessAgain = false

    init(on loop: LoopServices, _ upstreams: Upstreams, hop: DownstreamHop) {
        self.loop = loop
        self.hop = hop
        let configuration = loop.configuration
        exchange = RequestExchange(on: loop, upstreams, hop: hop)
        parser = RequestHeadParser(limits: hop.limits(configuration))
        parserGeneration = configuration.generation
        body = BodyReader(BodyFraming.none, trailerFields: configuration.limits.head.fields)
        deadline = loop.clock.tick(after: configuration.deadlines.head)
    }

    deinit { exchange.dissolve() }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) {
        channelEnd = ChannelEnd(context)
        exchange.begin(on: self, hop: hop)
        loop.connections.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        // A channel that never became active does not become inactive either.
        ended()
        channelEnd = nil
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        loop.tookMemory(received.storageCapacity)
        if input.readableBytes == 0 {
            input = received
        } else {
            input.writeImmutableBuffer(received)
        }
        process()
        if !mustHoldReading { channelEnd?.readOn() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case ChannelEvent.inputClosed:
            state.inputClosed()
            process()
        case ChannelEvent.outputClosed:
            if state.isLingering { arm(FixedLimits.linger) }
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
        if context.channel.isWritable {
            exchange.forwarding?.clientBecameWritable()
            // The next request may wait for the connection to become writable.
            if state.isIdle { process() }
        }
        context.fireChannelWritabilityChanged()
    }

    /// Continues reading, unless the bytes received last have to wait.
    func read(context: ChannelHandlerContext) {
        if mustHoldReading {
            readIsHeld = true
        } else {
            context.read()
        }
    }

    private func resumeReading() {
        guard readIsHeld, let end = channelEnd, !mustHoldReading else { return }
        readIsHeld = false
        end.read()
    }

    private var mustHoldReading: Bool {
        if input.readableBytes > 0, reading != .head { return true }
        switch loop.gateway.memory.level {
        case .ample: return false
        // Heads are read so that requests can be refused; discarded bytes are not kept.
        case .short: return [.body, .tunnel, .held].contains(reading)
        case .out: return true
        }
    }

    // MARK: Processing

    private var reading: DownstreamState.Reading { state.reading(exchange.reading, isWritable: isWritable) }

    /// Consumes received bytes, as far as possible now.
    ///
    /// A write can trigger other events before it returns. Those only request another round.
    func process() {
        guard !isProcessing else {
            isToProcessAgain = true
            return
        }
        isProcessing = true
        repeat {
            isToProcessAgain = false
            while input.readableBytes > 0, step() {}
            perform(state.inputConsumed(isEmpty: isDrained))
        } while isToProcessAgain
        isProcessing = false
        if input.readableBytes == 0 { input = ByteBuffer() }
        resumeReading()
    }

    /// Runs a write during which no input is consumed.
    ///
    /// A failed write reads the remaining bytes of the socket before it closes the channel. The next request must not
    /// begin there. It would replace the request whose answer is being written, which would then never finish.
    func withoutProcessing(_ write: () -> Int) -> Int {
        let wasProcessing = isProcessing
        isProcessing = true
        defer { isProcessing = wasProcessing }
        return write()
    }

    /// Consumes bytes received in the meantime, unless a caller further up the stack does.
    func processWhatWaited() {
        if isToProcessAgain, !isProcessing { process() }
    }

    /// Takes the next element from the input. False if it needs more bytes, or has to wait.
    private func step() -> Bool {
        switch reading {
        case .head: readHead()
        case .body: exchange.receiveBody()
        case .tunnel: relayTunnel()
        case .discarded: discardBody()
        case .lingering: discardAfterAnswer()
        case .held: false
        }
    }

    /// Performs the action that an event returned.
    func perform(_ action: DownstreamState.Action) {
        switch action {
        case .none: break
        case .nextRequest: becomeIdle()
        case .discardBody: arm(exchange.configuration.deadlines.bodyIdle)
        case .linger: linger()
        case .close: closeWhenWritten()
        case .askExchange: exchange.clientInputEnded(isEmpty: isDrained)
        }
    }

    // MARK: The head

    private func readHead() -> Bool {
        guard !holdsOnlyLineEnd else { return false }
        let isFirstPart = state.headBegan()
        if isFirstPart { beginRequest() }
        let received = input
        do {
            guard try parser.parse(received.readableBytesUInt8Span) == .complete else {
                if loop.gateway.memory.isShort { refuseHead() }
                return false
            }
        } catch {
            exchange.record.bytesIn = input.readableBytes
            input.clear()
            exchange.headRejected(error.fault, parser.fault(in: received.readableBytesUInt8Span))
            return false
        }
        parser.exchange(for: &exchange.request.head)
        take(exchange.request.head.byteCount)
        state.headReceived(keepsAlive: exchange.request.head.keepsAlive)
        body = BodyReader(exchange.request.head.framing, trailerFields: loop.configuration.limits.head.fields)
        exchange.headReceived(isWhole: isFirstPart)
        return true
    }

    /// Refuses a request with an incomplete head while memory is short. It would be refused later anyway, and its bytes
    /// would be kept until then.
    private func refuseHead() {
        exchange.record.bytesIn = input.readableBytes
        input.clear()
        exchange.refuseForMemory()
    }

    private func beginRequest() {
        exchange.headBegan()
        let configuration = exchange.configuration
        if parserGeneration != configuration.generation {
            parser = RequestHeadParser(limits: hop.limits(configuration))
            parserGeneration = configuration.generation
        }
        storageDeadline = nil
        deadline = .max
    }

    /// True if no bytes are left that could become a request.
    private var isDrained: Bool { input.readableBytes == 0 || holdsOnlyLineEnd }

    /// True if the input is only the line end that some clients send after a body (RFC 9112 §2.2), so no request has
    /// begun.
    private var holdsOnlyLineEnd: Bool {
        guard state.isIdle, input.readableBytes <= 2 else { return false }
        let bytes = input.readableBytesView
        return bytes.first == UInt8(ascii: "\r") && bytes.dropFirst().first ?? UInt8(ascii: "\n") == UInt8(ascii: "\n")
    }

    /// Removes consumed bytes from the input, and counts them.
    func take(_ byteCount: Int) {
        exchange.record.bytesIn += byteCount
        input.moveReaderIndex(forwardBy: min(byteCount, input.readableBytes))
    }

    // MARK: Discarded bytes

    private func discardBody() -> Bool {
        do {
            _ = try readBody()
        } catch {
            close()
            return false
        }
        if body.isComplete { perform(state.bodyDiscarded()) }
        return true
    }

    private func discardAfterAnswer() -> Bool {
        let byteCount = input.readableBytes
        input.clear()
        if state.bytesDiscarded(byteCount) == .close { close() }
        return false
    }

    // MARK: Tunnels

    private func relayTunnel() -> Bool {
        switch exchange.forwarding?.tunnelInput {
        case .held, nil: return false
        case .discarded:
            input.clear()
            return false
        case .relayed:
            // Cleared first: a write that fails closes the tunnel at once, which discards the input.
            let bytes = input
            input = ByteBuffer()
            exchange.forwarding?.relayToTunnel(bytes)
            return true
        }
    }

    // MARK: Time

    private func arm(_ time: TickCount) {
        deadline = loop.clock.tick(after: time)
    }

    func tick(_ tick: UInt64) {
        if let storageDeadline, storageDeadline <= tick, state.isIdle { releaseStorage() }
        if unwritten > 0 || isAnswering { watchWriting() }
        exchange.tick(tick)
        guard deadline <= tick else { return }
        deadline = .max
        leave()
        process()
    }

    func denialsChanged() { exchange.denialsChanged() }

    func memoryIsShort() { exchange.forwarding?.memoryIsShort() }

    func followMemory() {
        exchange.forwarding?.resumeReading()
        resumeReading()
    }

    /// True while an answer is being sent.
    private var isAnswering: Bool {
        exchange.forwarding?.isAnswering == true || exchange.responseBegan && state.isLingering
    }

    /// Extends the deadline of a client that reads the answer, however slowly.
    private func watchWriting() {
        let pending = unwrittenBytes
        defer { unwritten = pending }
        guard pending < unwritten else { return }
        // A head that has begun keeps its own deadline, however slowly the last answer is read.
        if exchange.forwarding?.isAnswering == true {
            exchange.arm(exchange.idleTimeout)
        } else if state.isIdle || isAnswering {
            arm(exchange.idleTimeout)
        }
    }

    private func releaseStorage() {
        storageDeadline = nil
        exchange.releaseStorage()
        parser.releaseStorage()
    }

    // MARK: Closing

    /// Enters the idle state between two requests.
    private func becomeIdle() {
        arm(loop.configuration.deadlines.idle)
        storageDeadline = loop.clock.tick(after: FixedLimits.storageKept)
        if exchange.record.bytesOut > FixedLimits.read || !isWritable { unwritten = unwrittenBytes }
        if loop.isDraining { drain() }
    }

    /// Drains: closes an idle connection after a short delay, because the next request may be in flight. A request that
    /// hits a closed connection is lost, while an answered one gets `Connection: close` (RFC 9112 §9.6).
    func drain() {
        exchange.forwarding?.drain()
        guard state.isIdle, isDrained else { return }
        deadline = min(deadline, loop.clock.tick(after: loop.configuration.deadlines.idleWhileDraining))
    }

    func stop() { abort() }

    /// Closes a connection after a time-out.
    ///
    /// While the gateway drains, only our side is closed first, so that a client which sends a request at this moment
    /// sees no reset.
    private func leave() {
        guard loop.isDraining, unwrittenBytes == 0, state.isIdle else { return close() }
        perform(state.idleEnded())
    }

    /// Closes the connection so that the client receives the whole last answer.
    ///
    /// Closing while client bytes are unread would reset the connection, and could destroy the answer in flight (RFC
    /// 9112 §9.6). So our side closes first, and received bytes are discarded for a while.
    private func linger() {
        guard let context = channelEnd?.context else { return }
        input.clear()
        arm(exchange.configuration.deadlines.bodyIdle)
        if state.inputEnded {
            closeWhenWritten()
        } else {
            context.close(mode: .output, promise: nil)
        }
    }

    /// Closes both directions after the last byte is written. A plain close would drop unwritten bytes.
    private func closeWhenWritten() {
        guard let context = channelEnd?.context else { return }
        guard unwrittenBytes > 0 else { return close() }
        let written = loop.eventLoop.makePromise(of: Void.self)
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        written.futureResult.whenComplete { _ in bound.value.close() }
        context.writeAndFlush(NIOAny(ByteBuffer()), promise: written)
    }

    func close() {
        channelEnd?.context.close(promise: nil)
    }

    /// Closes the connection with a reset. A plain close could look like the end of the response.
    func abort() {
        guard let channel = channelEnd?.channel else { return }
        channel.resetWhenClosed()
        channel.closeAtOnce()
    }

    /// Cleans up after the channel closed.
    private func ended() {
        guard state.channelClosed() else { return }
        exchange.clientGone()
        deadline = .max
        loop.connections.remove(self)
    }
}

@available(*, unavailable)
extension DownstreamConnection: Sendable {}
