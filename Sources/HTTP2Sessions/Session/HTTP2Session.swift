import NIOCore

/// One end of an HTTP/2 connection (RFC 9113), without the socket: bytes in, events and bytes out.
///
/// The caller passes in received bytes, takes the events, responds, and takes the bytes to be written:
///
///     session.receive(bytes, at: tick)
///     while let event = session.nextEvent() { … }
///     session.serialize(limit: free)
///     while let bytes = session.nextOutput() { … }
///
/// `serialize` can record events too. Other code on the event loop may call the session at any time, since the
/// library's callbacks only record. Confined to its event loop.
///
/// Properties that every frame touches are `@exclusivity(unchecked)`: the checks took a tenth of all instructions. This
/// is safe because accesses to such a property never overlap. The session is confined to one event loop and calls only
/// the library and objects it owns. The library calls back only within `receive` and `send`, during which none of these
/// properties is being accessed.
public class HTTP2Session {
    let library: LibrarySession
    let storage: HTTP2Storage
    let limits: HTTP2Limits
    let isClient: Bool

    /// Tick of the last `receive`.
    @safe @exclusivity(unchecked) var tick: UInt64
    @safe @exclusivity(unchecked) var meter: FrameMeter
    @safe @exclusivity(unchecked) var streams = StreamTable()
    /// Number of streams that the library holds, including refused and reset ones.
    @safe @exclusivity(unchecked) var libraryStreams = 0
    @safe @exclusivity(unchecked) var closedStreams = ClosedStreams()
    /// Requests whose heads the library has not serialized. Used only on connections to upstreams.
    @safe @exclusivity(unchecked) var unsentRequests = 0

    /// Received content that was not consumed, on all streams, in bytes.
    @safe @exclusivity(unchecked) public internal(set) final var unconsumedByteCount = 0
    @safe @exclusivity(unchecked) var withholdsWindows = false
    /// Window owed to the connection for content of closed streams, in bytes.
    @safe @exclusivity(unchecked) var withheldOfConnection = 0

    // MARK: While bytes are read

    @safe @exclusivity(unchecked) var input = ByteBuffer()
    @safe @exclusivity(unchecked) var inputAddress: UInt = 0
    /// Field section that is being received; `sectionRecord` is its stream. Nil between sections, and in the rest of a
    /// refused one.
    @safe @exclusivity(unchecked) var section: FieldBlock?
    @safe @exclusivity(unchecked) var sectionRecord: StreamRecord?
    /// Number of received fields that were processed. Fields that the library skips are not counted.
    @safe @exclusivity(unchecked) var fieldCount = 0

    @safe @exclusivity(unchecked) private var events: ContiguousArray<HTTP2Event> = []
    @safe @exclusivity(unchecked) private var nextEventIndex = 0
    /// Slot of the stream whose end was delivered last. Released when the caller takes the next event. Nil unless the
    /// last event taken was the end of a stream.
    @safe @exclusivity(unchecked) private var reportedSlot: Int32?

    // MARK: Output

    @safe @exclusivity(unchecked) var output = SessionOutput()
    /// True if `send` output content without copying it.
    @safe @exclusivity(unchecked) var didSendPiece = false
    /// Stream limit to write into the first SETTINGS frame. Nil once written.
    @safe @exclusivity(unchecked) private var unsentStreamLimit: Int?
    @safe @exclusivity(unchecked) private var unsentPing: UInt64?

    /// True if the connection failed because of the peer.
    @safe @exclusivity(unchecked) public private(set) final var hasFailed = false
    /// True if the peer sent GOAWAY and accepts no new streams.
    @safe @exclusivity(unchecked) public private(set) final var hasReceivedGoAway = false

    init(
        for peer: HTTP2Peer, limits: HTTP2Limits, storage: HTTP2Storage, at tick: UInt64,
        settings: [(id: Int32, value: UInt32)]
    ) {
        isClient = peer == .upstream
        self.limits = limits
        self.storage = storage
        self.tick = tick
        meter = FrameMeter(for: peer, limits: limits, budgetPeriod: storage.budgetPeriod, at: tick)
        library = LibrarySession(client: isClient, storage.library)
        unsentStreamLimit = isClient ? nil : limits.concurrentStreams
        library.setOwner(self)
        var settings = settings
        settings.append((Setting.initialWindowSize, UInt32(truncatingIfNeeded: limits.streamWindow)))
        settings.append((Setting.maxHeaderListSize, UInt32(truncatingIfNeeded: limits.fieldSection)))
        library.submitSettings(settings)
        library.setConnectionWindow(Int32(truncatingIfNeeded: limits.connectionWindow))
    }

    /// Identifiers of SETTINGS parameters (RFC 9113 §6.5.2, RFC 8441 §3, RFC 9218 §2.1).
    enum Setting {
        static let enablePush: Int32 = 2
        static let maxConcurrentStreams: Int32 = 3
        static let initialWindowSize: Int32 = 4
        static let maxHeaderListSize: Int32 = 6
        static let enableConnectProtocol: Int32 = 8
        static let noRFC7540Priorities: Int32 = 9
    }

    // MARK: Reading

    /// Reads received bytes and records events.
    ///
    /// Data events are slices of these bytes and keep them alive.
    public final func receive(_ bytes: ByteBuffer, at tick: UInt64) {
        guard !hasFailed, bytes.readableBytes > 0 else { return }
        self.tick = tick
        if let failure = meter.received(bytes.readableBytesUInt8Span, at: tick, judge: { judge($0) }) {
            return fail(failure)
        }
        input = bytes
        let result = unsafe bytes.withUnsafeReadableBytes { bytes in
            inputAddress = UInt(bitPattern: bytes.baseAddress)
            return unsafe library.receive(bytes)
        }
        input = ByteBuffer()
        closedStreams.readEnded(library)
        if result < 0 { fail(.libraryFailure(Int32(truncatingIfNeeded: result))) }
    }

    /// Checks a frame for connection errors that the library does not detect. Nil if the frame causes none.
    private func judge(_ frame: FrameScanner.Frame) -> ConnectionFailure? {
        // The library ignores PRIORITY frames because priorities are not used (§6.3).
        if frame.kind == .priority, frame.stream == 0 { return .violation(.protocolError) }
        return isClient ? nil : closedStreams.judge(frame, library)
    }

    /// Takes the next event. Nil if all are taken.
    public final func nextEvent() -> HTTP2Event? {
        if let slot = reportedSlot.take() { streams.release(slot) }
        guard nextEventIndex < events.count else {
            guard nextEventIndex > 0 else { return nil }
            // The list must be uniquely referenced, or emptying it would copy it.
            var list: ContiguousArray<HTTP2Event> = []
            swap(&list, &events)
            storage.recycle(consume list)
            nextEventIndex = 0
            return nil
        }
        let event = events[nextEventIndex]
        nextEventIndex &+= 1
        if case .streamClosed(let stream, _) = event { reportedSlot = stream.slot }
        return event
    }

    final func record(_ event: HTTP2Event) {
        if events.isEmpty { events = storage.takeEvents() }
        if case .goAway = event { hasReceivedGoAway = true }
        events.append(event)
    }

    /// Marks the last recorded data as the end of its stream. False if the last event is another.
    final func endLastData(of stream: HTTP2Stream) -> Bool {
        guard nextEventIndex < events.count, case .data(stream, let content, _) = events[events.count &- 1] else {
            return false
        }
        events[events.count &- 1] = .data(stream, content, endsStream: true)
        return true
    }

    /// Returns flow-control window to the peer for content that has been forwarded.
    public final func consume(_ stream: HTTP2Stream, _ count: Int) {
        guard let record = streams.record(of: stream) else { return }
        let consumed = min(max(count, 0), record.unconsumed)
        guard consumed > 0 else { return }
        record.unconsumed &-= consumed
        unconsumedByteCount &-= consumed
        if withholdsWindows { record.withheld &+= consumed } else { library.consume(stream.number, consumed) }
    }

    /// Stops returning window: the peer may only send what it was granted before.
    public final func withholdWindows() { withholdsWindows = true }

    /// Returns all withheld window.
    ///
    /// - Returns: True if windows were withheld.
    public final func grantWindows() -> Bool {
        guard withholdsWindows else { return false }
        withholdsWindows = false
        for record in streams.all where record.withheld > 0 {
            library.consume(record.number, record.withheld)
            record.withheld = 0
        }
        if withheldOfConnection > 0 { library.consumeOfConnection(withheldOfConnection) }
        withheldOfConnection = 0
        return true
    }

    /// Returns window of the connection only, for content of a closed stream or content that is discarded.
    final func consumeOfConnection(_ count: Int) {
        guard count > 0 else { return }
        if withholdsWindows { withheldOfConnection &+= count } else { library.consumeOfConnection(count) }
    }

    // MARK: Writing

    /// Serializes frames until `limit` bytes wait to be written, or no frames remain.
    ///
    /// Call it only while the connection accepts writes. For a peer that does not read, the library's limits count the
    /// frames that are not serialized.
    public final func serialize(limit: Int) {
        pull(limit)
        if meter.isOverdrawn, !hasFailed {
            fail(.budgetOverdrawn)
            pull(.max)
        }
    }

    private func pull(_ limit: Int) {
        while output.byteCount < limit {
            didSendPiece = false
            guard let bytes = unsafe library.send() else { return fail(.libraryFailure(Self.outputFailure)) }
            guard bytes.count > 0 else {
                guard didSendPiece else { return libraryDrained() }
                continue
            }
            unsafe output.append(bytes, storage)
            stateStreamLimit(byteCount: bytes.count)
        }
    }

    /// Called when the library has nothing to send for now.
    private func libraryDrained() {
        if let payload = unsentPing.take() {
            var frame: [UInt8] = [0, 0, 8, 6, 0, 0, 0, 0, 0]
            for shift in stride(from: 56, through: 0, by: -8) {
                frame.append(UInt8(truncatingIfNeeded: payload >> shift))
            }
            output.append(copying: frame, storage)
        }
        outputDrained()
    }

    /// The library's error code for a failed callback; it reports no other for output.
    private static let outputFailure: Int32 = -902

    /// Writes our stream limit over the first parameter of the first frame, so the library has no limit and the peer
    /// sees ours. The library would close the whole connection for one stream too many, and counts a stream until its
    /// reset is serialized. RFC 9113 §5.1.2 wants the stream refused.
    private func stateStreamLimit(byteCount: Int) {
        guard let limit = unsentStreamLimit else { return }
        unsentStreamLimit = nil
        // 9 bytes of frame header and 2 of the parameter's identifier.
        output.overwrite(UInt32(truncatingIfNeeded: limit), fromEnd: byteCount &- 9 &- 2)
    }

    /// Takes the next bytes to be written. Nil if there are none. Return the buffer to ``HTTP2Storage`` once written.
    public final func nextOutput() -> ByteBuffer? { output.next() }

    /// Serialized bytes that were not taken yet.
    public final var outputByteCount: Int { output.byteCount }

    /// True if `serialize` has something to output.
    public final var wantsOutput: Bool { library.wantsOutput || unsentPing != nil }

    /// True if `serialize` has something to output, or the connection may be over.
    public final var needsRound: Bool { hasFailed || wantsOutput || !library.wantsInput }

    /// True if the connection is over: nothing remains to be read or written.
    public final var isFinished: Bool {
        output.byteCount == 0 && !wantsOutput && (hasFailed || !library.wantsInput)
    }

    /// Number of open streams.
    public final var streamCount: Int { streams.count }

    // MARK: Closing

    /// Closes the connection with a GOAWAY, and every stream on it.
    public final func fail(_ failure: ConnectionFailure) {
        guard !hasFailed else { return }
        hasFailed = true
        library.terminate(failure.code)
        record(.connectionFailed(failure))
    }

    /// Called when the library closed the connection itself.
    final func failed(_ code: HTTP2ErrorCode) {
        guard !hasFailed else { return }
        hasFailed = true
        record(.connectionFailed(.violation(code)))
    }

    /// Sends a PING after all frames submitted before.
    ///
    /// The library would send it first, and would not send one after a GOAWAY if no stream is open.
    public final func ping(_ payload: UInt64) { unsentPing = payload }
}

@available(*, unavailable)
extension HTTP2Session: Sendable {}
