import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings

/// One HTTP/2 connection to an upstream. It carries many requests at once, each on its own stream.
///
/// It gathers the output of its streams, and writes once at the end of the loop's round. A client that does not read
/// stops only its own stream, through the stream's window. It never stops reading from the connection.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class UpstreamSession: ChannelDuplexHandler, GatheringConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    @safe @exclusivity(unchecked) var awaitsRoundEnd = false
    /// True if the session takes no more requests.
    @safe @exclusivity(unchecked) private(set) var isEnding = false
    /// True if the upstream announced that it takes no requests.
    @safe @exclusivity(unchecked) private(set) var takesNoRequests = false
    @safe @exclusivity(unchecked) private var hasAnswered = false
    /// True once the upstream's SETTINGS have been received.
    @safe @exclusivity(unchecked) private(set) var isSettled = false
    /// True if only the first request uses the session. The pool does not offer it to others.
    @safe @exclusivity(unchecked) var isUnpooled = false

    let pool: TargetPool
    private let loop: LoopServices
    private let session: HTTP2ClientSession
    private let headLimits: HeadLimits
    @safe @exclusivity(unchecked) private var channelEnd: ChannelEnd?
    /// Streams by the slot number of their handles.
    @safe @exclusivity(unchecked) private var streams: ContiguousArray<UpstreamStream?> = []
    /// Number of streams with an unfinished request.
    @safe @exclusivity(unchecked) private var activeStreams = 0
    @safe @exclusivity(unchecked) private var allStreams = 0
    @safe @exclusivity(unchecked) private var resets = 0
    /// True if reading is paused because memory is short.
    @safe @exclusivity(unchecked) private var readIsHeld = false
    /// Tick from which the session is closed if it is idle.
    @safe @exclusivity(unchecked) private var idleDeadline: UInt64

    // MARK: While events are handed out

    @safe @exclusivity(unchecked) private var isHandlingEvents = false
    /// Stream whose received parts are gathered, to be relayed together. Nil if there is nothing to relay.
    @safe @exclusivity(unchecked) private var current: UpstreamStream?
    @safe @exclusivity(unchecked) private var builder: ResponseHeadBuilder
    @safe @exclusivity(unchecked) private var trailers: TrailerBuilder

    init(to pool: TargetPool, on loop: LoopServices) {
        self.pool = pool
        self.loop = loop
        headLimits = loop.configuration.limits.head
        let limits = headLimits.forUpstream
        builder = ResponseHeadBuilder(limits: limits)
        trailers = TrailerBuilder(limits: ChunkLimits(trailerFields: limits.fields))
        session = HTTP2ClientSession(
            limits: HTTP2Limits(ofUpstreamHeads: limits), storage: loop.http2Storage, at: loop.clock.tick)
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
    }

    /// Starts the session on a channel. From now on the channel's bytes are HTTP/2.
    func begin(on channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(self)
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        pool.add(self)
        write()
    }

    // MARK: Requests

    /// True if a request may begin here. A session keeps the head limits it began with, so after a change it takes
    /// none.
    var isOpen: Bool { !isEnding && session.mayRequest && loop.configuration.limits.head == headLimits }

    /// Begins a stream for a request. Nil if none can be opened.
    ///
    /// - Parameter isShared: whether the session existed before the request.
    func open(isShared: Bool) -> UpstreamStream? {
        guard !isEnding, channelEnd != nil, session.mayRequest else { return nil }
        let stream = pool.takeStream()
        stream.begin(on: self, isShared: isShared)
        activeStreams += 1
        allStreams += 1
        // Stream identifiers run out much later than this.
        if allStreams >= FixedLimits.sessionRequests { retire() }
        return stream
    }

    /// Stops taking requests. Current requests continue.
    func retire() {
        isEnding = true
        pool.remove(self)
    }

    /// Stops taking requests, and closes after the last one.
    func end() {
        retire()
        if activeStreams == 0 { write() }
    }

    func expire(at tick: UInt64) {
        if activeStreams == 0, idleDeadline <= tick { end() }
    }

    // MARK: For its streams

    /// Sends the request head that the loop's field writer holds, on a new stream. Nil if it cannot be sent.
    func submit(_ stream: UpstreamStream, endsStream: Bool) -> HTTP2Stream? {
        guard channelEnd != nil else { return nil }
        loop.fieldWriter.hand(to: &loop.outgoingFields)
        guard let handle = session.submitRequest(loop.outgoingFields, endsStream: endsStream) else { return nil }
        let slot = Int(handle.slot)
        while streams.count <= slot { streams.append(nil) }
        streams[slot] = stream
        return handle
    }

    /// Queues request content on a stream.
    ///
    /// - Returns: true if more may follow at once. Otherwise `queueDrained` notifies the stream later.
    func append(_ content: ByteBuffer, to handle: HTTP2Stream) -> Bool { session.append(content, to: handle) }

    /// Ends the request on a stream.
    ///
    /// - Parameter trailers: lines of the trailer section.
    func end(_ handle: HTTP2Stream, trailers: [UInt8]) {
        guard !trailers.isEmpty else { return session.end(handle) }
        loop.outgoingFields.fill(fromTrailers: trailers)
        session.end(handle, trailers: loop.outgoingFields)
    }

    func hasQueued(_ handle: HTTP2Stream) -> Bool { session.queuedByteCount(of: handle) > 0 }

    func consume(_ handle: HTTP2Stream, _ count: Int) {
        session.consume(handle, count)
        if session.wantsOutput { write() }
    }

    /// Resets a stream whose client left or whose response is invalid. The unsent part of the request is dropped.
    ///
    /// Upstreams close a whole connection on which they see too many resets (CVE-2023-44487), and fail its other
    /// requests. So the session takes no more requests before that. Its current requests are answered.
    func reset(_ handle: HTTP2Stream, _ code: HTTP2ErrorCode) {
        session.reset(handle, code)
        resets += 1
        if resets >= FixedLimits.sessionResets { retire() }
        write()
    }

    /// Called when a stream's request is finished.
    func left() {
        activeStreams -= 1
        guard activeStreams == 0 else { return }
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
        resumeReading()
        if isEnding || isUnpooled { write() }
    }

    // MARK: Writing

    /// Schedules a write at the end of the loop's round. After it, the connection closes if nothing remains to be done.
    func write() { loop.writeRound.add(self) }

    /// Largest number of writes in one turn of the loop. The rest follows in the next round.
    private static let mostWrites = 8

    func writeGathered() {
        var writes = 0
        while let end = channelEnd, end.isWritable, writes < Self.mostWrites, writePart(to: end) {
            handleEvents()
            writes += 1
        }
        if writes == Self.mostWrites { write() }
        handleEvents()
        closeIfDone()
    }

    /// Writes about as much as the channel takes. Returns false if there is nothing to write.
    private func writePart(to end: ChannelEnd) -> Bool {
        session.serialize(limit: FixedLimits.writeBuffer.upperBound)
        return session.writeOutput(to: end, loop.http2Storage)
    }

    private func closeIfDone() {
        let isIdle = activeStreams == 0 && (isEnding || isUnpooled)
        if isIdle || session.hasFailed || session.isFinished { channelEnd?.context.close(promise: nil) }
    }

    // MARK: Reading

    private func handleEvents() {
        // A lessee's reaction to an event can cause more events. They are handled after it.
        guard !isHandlingEvents else { return }
        isHandlingEvents = true
        while true {
            while let event = session.nextEvent() { handle(event) }
            guard current != nil else { break }
            relayCurrent()
        }
        isHandlingEvents = false
    }

    private func handle(_ event: HTTP2Event) {
        switch event {
        case .head(let handle, let block, let endsStream):
            headReceived(handle, block, endsStream: endsStream, isInterim: false)
        case .interim(let handle, let block): headReceived(handle, block, endsStream: false, isInterim: true)
        case .data(let handle, let content, let endsStream):
            guard let stream = turn(to: handle) else { return }
            stream.contentReceived(content)
            if endsStream { stream.responseReceived(trailers: []) }
        case .trailers(let handle, let block): trailersReceived(handle, block)
        case .streamClosed(let handle, let end):
            relayCurrent()
            guard let stream = stream(handle) else { return }
            streams[Int(handle.slot)] = nil  // in bounds: it was just found there
            stream.ended(end)
        case .queueDrained(let handle): stream(handle)?.queueDrained()
        case .goAway: end()
        case .connectionFailed:
            retire()
            loseStreams()
            write()
        case .settings: settingsReceived()
        case .requestRefused, .headNotSent, .pingAcknowledged: break
        }
    }

    private func settingsReceived() {
        let isFirst = !isSettled
        isSettled = true
        if session.peerTakesNoRequests { endForWantOfStreams() } else { pool.sessionAccepts() }
        if isFirst { pool.sessionStated(session.streamLimit) }
    }

    /// Closes once the upstream has answered its current requests. If several sessions in a row take no requests, new
    /// connections are paused.
    private func endForWantOfStreams() {
        guard !takesNoRequests else { return }
        takesNoRequests = true
        if !hasAnswered { pool.sessionRefused(at: EventLoopClock.now()) }
        end()
    }

    private func stream(_ handle: HTTP2Stream) -> UpstreamStream? {
        let slot = Int(handle.slot)
        guard streams.indices.contains(slot), let stream = streams[slot], stream.handle == handle else { return nil }
        return stream
    }

    /// Makes a stream the current one, and returns it. First relays the parts gathered for another stream. Nil if the
    /// stream has ended.
    private func turn(to handle: HTTP2Stream) -> UpstreamStream? {
        if current?.handle != handle { relayCurrent() }
        // The call to a lessee can have ended this stream.
        let stream = stream(handle)
        current = stream
        return stream
    }

    private func relayCurrent() { current.take()?.relay() }

    private func headReceived(_ handle: HTTP2Stream, _ block: FieldBlock, endsStream: Bool, isInterim: Bool) {
        defer { loop.http2Storage.recycle(block) }
        guard let stream = turn(to: handle) else { return }
        do throws(ResponseFault) {
            try readHead(in: block, endsStream: endsStream, requestIsHEAD: stream.requestIsHEAD)
        } catch {
            return stream.malformed(error)
        }
        let head = builder.head
        guard head.isInterim == isInterim else { return stream.malformed(.section(.status)) }
        if isInterim { return stream.interimHeadReceived(head) }
        hasAnswered = true
        if !takesNoRequests { pool.sessionAnswered() }
        stream.headReceived(head)
        if endsStream { stream.responseReceived(trailers: []) }
    }

    /// Builds a response head from a field section, with the builder.
    private func readHead(in block: FieldBlock, endsStream: Bool, requestIsHEAD: Bool) throws(ResponseFault) {
        guard !block.isTooLarge else { throw .section(.fieldSectionTooLarge) }
        builder.reset()
        do throws(ResponseMalformation) {
            try block.forEach { name, value, isNeverIndexed throws(ResponseMalformation) in
                try builder.add(name: name, value: value, isNeverIndexed: isNeverIndexed)
            }
        } catch {
            throw .section(error)
        }
        do throws(ResponseHeadFault) {
            try builder.finish(endsStream: endsStream, requestMethodIsHEAD: requestIsHEAD)
        } catch {
            throw ResponseFault(error)
        }
    }

    private func trailersReceived(_ handle: HTTP2Stream, _ block: FieldBlock) {
        defer { loop.http2Storage.recycle(block) }
        guard let stream = turn(to: handle) else { return }
        do throws(TrailerMalformation) {
            stream.responseReceived(trailers: try trailerLines(in: block))
        } catch {
            stream.malformed(.trailers(error))
        }
    }

    private func trailerLines(in block: FieldBlock) throws(TrailerMalformation) -> [UInt8] {
        guard !block.isTooLarge else { throw .sectionTooLarge }
        trailers.reset()
        try block.forEach { name, value, isNeverIndexed throws(TrailerMalformation) in
            try trailers.add(name: name, value: value, isNeverIndexed: isNeverIndexed)
        }
        return trailers.lines
    }

    /// Notifies every stream that the connection is lost.
    private func loseStreams() {
        // A response may be complete already.
        relayCurrent()
        let lost = streams
        streams = []
        for stream in lost {
            guard let stream else { continue }
            stream.connectionLost(isSent: stream.handle.map { session.isSent($0) } ?? true)
        }
    }

    // MARK: Channel events

    func handlerAdded(context: ChannelHandlerContext) { channelEnd = ChannelEnd(context) }

    func handlerRemoved(context: ChannelHandlerContext) { channelEnd = nil }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let received = unwrapInboundIn(data)
        loop.tookMemory(received.storageCapacity)
        session.receive(received, at: loop.clock.tick)
        handleEvents()
        if session.needsRound { write() }
        if mayRead { channelEnd?.readOn() }
    }

    /// Passes a read to the channel, unless memory is short.
    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { readIsHeld = true }
    }

    /// True if the connection may be read. Without a request, it is always read, to notice its end.
    private var mayRead: Bool { activeStreams == 0 || loop.mayRead(holding: session.unconsumedByteCount) }

    /// Resumes reading if there is memory for it now.
    func resumeReading() {
        guard readIsHeld, mayRead else { return }
        readIsHeld = false
        channelEnd?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { write() }
        context.fireChannelWritabilityChanged()
    }

    /// Closes the session if the upstream closes its side, because it answers nothing more.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event {
            retire()
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        channelEnd = nil
        retire()
        loseStreams()
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        retire()
        context.close(promise: nil)
    }
}

@available(*, unavailable)
extension UpstreamSession: Sendable {}
