import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings

/// One HTTP/2 connection to an upstream, which carries many requests at once, each on a stream of its own.
///
/// It gathers what its streams write, and writes once when the loop's round ends. A client that does not read stops its
/// own stream, by the stream's window, and never the reading of the connection.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class UpstreamSession: ChannelDuplexHandler, GatheringConnection {
    typealias InboundIn = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    @safe @exclusivity(unchecked) var awaitsRoundEnd = false
    /// Whether it takes no more requests.
    @safe @exclusivity(unchecked) private(set) var isEnding = false
    /// Whether the upstream announced that it takes no requests.
    @safe @exclusivity(unchecked) private(set) var takesNoRequests = false
    @safe @exclusivity(unchecked) private var hasAnswered = false
    /// Whether the upstream's SETTINGS are known.
    @safe @exclusivity(unchecked) private(set) var isSettled = false
    /// Whether it is for its first request alone: the pool does not offer it to others.
    @safe @exclusivity(unchecked) var isUnpooled = false

    let pool: TargetPool
    private let loop: LoopServices
    private let session: HTTP2ClientSession
    private let headLimits: HeadLimits
    @safe @exclusivity(unchecked) private var channelEnd: ChannelEnd?
    /// By their slots.
    @safe @exclusivity(unchecked) private var streams: ContiguousArray<UpstreamStream?> = []
    /// Streams that have something to do here.
    @safe @exclusivity(unchecked) private var activeStreams = 0
    @safe @exclusivity(unchecked) private var allStreams = 0
    @safe @exclusivity(unchecked) private var resets = 0
    /// Whether it is not read because memory is short.
    @safe @exclusivity(unchecked) private var readIsHeld = false
    /// The tick from which it is closed if it is idle.
    @safe @exclusivity(unchecked) private var idleDeadline: UInt64

    // MARK: While events are handed out

    @safe @exclusivity(unchecked) private var isHandlingEvents = false
    /// The stream whose parts are gathered before they are relayed.
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

    /// Makes a channel whose bytes are HTTP/2's from now on a session.
    func begin(on channel: any Channel) throws {
        try channel.pipeline.syncOperations.addHandler(self)
        guard channel.isActive else { throw ChannelError.ioOnClosedChannel }
        pool.add(self)
        write()
    }

    // MARK: Requests

    /// Whether a request may begin on it. A session keeps to the limits with which it began.
    var isOpen: Bool { !isEnding && session.mayRequest && loop.configuration.limits.head == headLimits }

    /// Begins a stream for a request; nil if there can be none.
    ///
    /// - Parameter isShared: whether the session was there before the request.
    func open(isShared: Bool) -> UpstreamStream? {
        guard !isEnding, channelEnd != nil, session.mayRequest else { return nil }
        let stream = pool.takeStream()
        stream.begin(on: self, isShared: isShared)
        activeStreams += 1
        allStreams += 1
        // Stream identifiers are used up long after this.
        if allStreams >= FixedLimits.sessionRequests { retire() }
        return stream
    }

    /// Takes no more requests; those that it has continue.
    func retire() {
        isEnding = true
        pool.remove(self)
    }

    /// Takes no more requests, and closes with the last.
    func end() {
        retire()
        if activeStreams == 0 { write() }
    }

    func expire(at tick: UInt64) {
        if activeStreams == 0, idleDeadline <= tick { end() }
    }

    // MARK: For its streams

    /// Begins a request with the head that the loop's field writer holds; nil if it cannot be sent.
    func submit(_ stream: UpstreamStream, endsStream: Bool) -> HTTP2Stream? {
        guard channelEnd != nil else { return nil }
        loop.fieldWriter.hand(to: &loop.outgoingFields)
        guard let handle = session.submitRequest(loop.outgoingFields, endsStream: endsStream) else { return nil }
        let slot = Int(handle.slot)
        while streams.count <= slot { streams.append(nil) }
        streams[slot] = stream
        return handle
    }

    /// - Returns: whether more is welcome; otherwise the stream hears of it.
    func append(_ content: ByteBuffer, to handle: HTTP2Stream) -> Bool { session.append(content, to: handle) }

    /// - Parameter trailers: field lines.
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

    /// Ends a stream whose client went away or whose response is not valid; the unsent part of the request is dropped.
    ///
    /// Upstreams end a whole connection on which they see too many of those (CVE-2023-44487), and with it the requests
    /// of others. So it takes no more requests before that; those that it has are answered.
    func reset(_ handle: HTTP2Stream, _ code: HTTP2ErrorCode) {
        session.reset(handle, code)
        resets += 1
        if resets >= FixedLimits.sessionResets { retire() }
        write()
    }

    /// A stream has nothing to do any more.
    func left() {
        activeStreams -= 1
        guard activeStreams == 0 else { return }
        idleDeadline = loop.clock.tick(after: FixedLimits.upstreamIdle)
        resumeReading()
        if isEnding || isUnpooled { write() }
    }

    // MARK: Writing

    /// Writes what there is when the loop's round ends, and closes if nothing follows.
    func write() { loop.writeRound.add(self) }

    /// How often one turn writes, as long as the channel takes more.
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

    /// Writes about as much as the channel takes; false if there is nothing.
    private func writePart(to end: ChannelEnd) -> Bool {
        session.serialize(limit: FixedLimits.writeBuffer.upperBound)
        guard var last = session.nextOutput() else { return false }
        end.write(last)
        while let bytes = session.nextOutput() {
            last = bytes
            end.write(bytes)
        }
        end.flush()
        loop.http2Storage.recycle(last)
        return true
    }

    private func closeIfDone() {
        let isIdle = activeStreams == 0 && (isEnding || isUnpooled)
        if isIdle || session.hasFailed || session.isFinished { channelEnd?.context.close(promise: nil) }
    }

    // MARK: Reading

    private func handleEvents() {
        // What a lessee does with an event is handled after it.
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

    /// Closes once the requests that the upstream has are answered. Where such sessions follow each other, there are
    /// soon no more for a while.
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

    /// Relays what another stream has gathered, and gathers for this one.
    private func turn(to handle: HTTP2Stream) -> UpstreamStream? {
        if current?.handle != handle { relayCurrent() }
        // The call to a lessee can have ended it.
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

    /// Has the builder make a head of a field section.
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

    /// Every stream hears that the connection is over.
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
        if session.wantsOutput || session.isFinished { write() }
        if mayRead { channelEnd?.readOn() }
    }

    /// Reading continues unless memory is short.
    func read(context: ChannelHandlerContext) {
        if mayRead { context.read() } else { readIsHeld = true }
    }

    /// One without a request is read to see its end.
    private var mayRead: Bool { activeStreams == 0 || loop.mayRead(holding: session.unconsumedByteCount) }

    /// Continues to read if there is memory for it now.
    func resumeReading() {
        guard readIsHeld, mayRead else { return }
        readIsHeld = false
        channelEnd?.read()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { write() }
        context.fireChannelWritabilityChanged()
    }

    /// An upstream that ends its side answers nothing more.
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

extension HTTP2Limits {
    /// A head past its limit is refused with its request, and not with the connection and all its streams.
    ///
    /// The streams' windows are the bound on what waits; that of the connection is large enough for all, so that
    /// clients that read nothing never delay the others.
    fileprivate init(ofUpstreamHeads limits: HeadLimits) {
        let room = limits.enlarged
        self.init(
            concurrentStreams: FixedLimits.upstreamStreams, fieldSection: room.head, fields: room.fields,
            queue: FixedLimits.writeBuffer)
        connectionWindow = streamWindow * concurrentStreams
    }
}
