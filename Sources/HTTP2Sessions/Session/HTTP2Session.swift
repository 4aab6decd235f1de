import NIOCore

/// One end of an HTTP/2 connection (RFC 9113), without the connection: bytes in, events and bytes out.
///
/// The caller gives it what was read, takes the events, answers, and takes what is to be written:
///
///     session.receive(bytes, at: tick)
///     while let event = session.nextEvent() { … }
///     session.serialize(limit: free)
///     while let bytes = session.nextOutput() { … }
///
/// `serialize` can bring events about too. Calls from elsewhere on the event loop do not disturb it,
/// for the library's callbacks only record. Confined to its event loop.
///
/// Properties that every frame touches are `@exclusivity(unchecked)`: the checks took a tenth of all instructions. It
/// is safe, because no other access to such a property can be in progress. The session is confined to one event loop;
/// it calls nothing but the library and what it owns; and the library calls back only within `receive` and `send`,
/// during which none of them is being accessed.
public class HTTP2Session {
    let library: LibrarySession
    let storage: HTTP2Storage
    let limits: HTTP2Limits
    let isClient: Bool

    /// The tick of the last `receive`.
    @safe @exclusivity(unchecked) var tick: UInt64
    @safe @exclusivity(unchecked) var meter: FrameMeter
    @safe @exclusivity(unchecked) var streams = StreamTable()
    /// Streams that the library knows, those that are refused or reset included.
    @safe @exclusivity(unchecked) var libraryStreams = 0
    @safe @exclusivity(unchecked) var closedStreams = ClosedStreams()
    /// Requests whose heads the library still has; of a client.
    @safe @exclusivity(unchecked) var unsentRequests = 0

    /// Received content that was not consumed, of all streams.
    @safe @exclusivity(unchecked) public internal(set) final var unconsumedByteCount = 0
    @safe @exclusivity(unchecked) var withholdsWindows = false
    /// Bytes of window that the connection is owed for streams that are over.
    @safe @exclusivity(unchecked) var withheldOfConnection = 0

    // MARK: While bytes are read

    @safe @exclusivity(unchecked) var input = ByteBuffer()
    @safe @exclusivity(unchecked) var inputAddress: UInt = 0
    /// The field section that is being received, and the stream that it belongs to.
    @safe @exclusivity(unchecked) var section: FieldBlock?
    @safe @exclusivity(unchecked) var sectionRecord: StreamRecord?
    /// Fields that were looked at; one that the library skips is not.
    @safe @exclusivity(unchecked) var fieldCount = 0

    @safe @exclusivity(unchecked) private var events: ContiguousArray<HTTP2Event> = []
    @safe @exclusivity(unchecked) private var nextEventIndex = 0
    /// Of the stream whose end was handed out last; the caller has done with it when it asks for the next event.
    @safe @exclusivity(unchecked) private var reportedSlot: Int32?

    // MARK: What is written

    @safe @exclusivity(unchecked) var output = SessionOutput()
    /// Whether content went out that was not copied.
    @safe @exclusivity(unchecked) var didSendPiece = false
    /// The bound on streams, as long as it stands in no frame.
    private var unsentStreamLimit: Int?
    private var unsentPing: UInt64?

    /// Whether the connection is over because of what the peer did.
    public private(set) var hasFailed = false
    /// Whether the peer takes no more streams.
    public private(set) var hasReceivedGoAway = false

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

    /// Parameters of SETTINGS (RFC 9113 §6.5.2, RFC 8441 §3, RFC 9218 §2.1).
    enum Setting {
        static let enablePush: Int32 = 2
        static let maxConcurrentStreams: Int32 = 3
        static let initialWindowSize: Int32 = 4
        static let maxHeaderListSize: Int32 = 6
        static let enableConnectProtocol: Int32 = 8
        static let noRFC7540Priorities: Int32 = 9
    }

    // MARK: Reading

    /// Reads what the peer sent; what it means is recorded as events.
    ///
    /// Data events are slices of these bytes, and keep them.
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

    /// Checks of a frame that the library lacks.
    private func judge(_ frame: FrameScanner.Frame) -> ConnectionFailure? {
        // It ignores the frame because priorities are not used (§6.3).
        if frame.kind == .priority, frame.stream == 0 { return .violation(.protocolError) }
        return isClient ? nil : closedStreams.judge(frame, library)
    }

    /// Takes the next event; nil if all are taken.
    public final func nextEvent() -> HTTP2Event? {
        if let slot = reportedSlot.take() { streams.release(slot) }
        guard nextEventIndex < events.count else {
            guard nextEventIndex > 0 else { return nil }
            // The list must be uniquely referenced, or emptying it would copy it.
            var list: ContiguousArray<HTTP2Event> = []
            swap(&list, &events)
            storage.recycle(list)
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

    /// States that the last recorded data is the end of its stream; false if the last event is another.
    final func endLastData(of stream: HTTP2Stream) -> Bool {
        guard nextEventIndex < events.count, case .data(stream, let content, _) = events[events.count &- 1] else {
            return false
        }
        events[events.count &- 1] = .data(stream, content, endsStream: true)
        return true
    }

    /// Gives the window of so much content back to the peer, once it has been forwarded.
    public final func consume(_ stream: HTTP2Stream, _ count: Int) {
        guard let record = streams.record(of: stream) else { return }
        let consumed = min(max(count, 0), record.unconsumed)
        guard consumed > 0 else { return }
        record.unconsumed &-= consumed
        unconsumedByteCount &-= consumed
        if withholdsWindows { record.withheld &+= consumed } else { library.consume(stream.number, consumed) }
    }

    /// Gives no window back to the peer from now on: it may send what it was granted before, and no more.
    public final func withholdWindows() { withholdsWindows = true }

    /// Gives back all that was withheld.
    ///
    /// - Returns: whether there was something.
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

    /// Gives the connection's window back for content of a stream that is over, or that nobody wants.
    final func consumeOfConnection(_ count: Int) {
        guard count > 0 else { return }
        if withholdsWindows { withheldOfConnection &+= count } else { library.consumeOfConnection(count) }
    }

    // MARK: Writing

    /// Serializes frames until so many bytes wait to be written, or there are no more.
    ///
    /// Call it only while the connection takes bytes: the bounds on a peer that does not read count what is not
    /// serialized.
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

    /// The library has nothing more to send for now.
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

    /// The library's own code for a callback that failed; it has no other for output.
    private static let outputFailure: Int32 = -902

    /// The library would end the whole connection for one stream too many, and counts a stream until its reset has been
    /// serialized. RFC 9113 §5.1.2 wants the stream refused. So the library is told of no bound, and the peer of ours:
    /// the first parameter of the first frame is written over.
    private func stateStreamLimit(byteCount: Int) {
        guard let limit = unsentStreamLimit else { return }
        unsentStreamLimit = nil
        // A frame's head, and the parameter's number.
        output.overwrite(UInt32(truncatingIfNeeded: limit), fromEnd: byteCount &- 9 &- 2)
    }

    /// The next bytes to be written; nil if there are none. Once they are written, ``HTTP2Storage`` takes them back.
    public final func nextOutput() -> ByteBuffer? { output.next() }

    /// Serialized bytes that were not taken.
    public final var outputByteCount: Int { output.byteCount }

    /// Whether `serialize` would find anything.
    public final var wantsOutput: Bool { library.wantsOutput || unsentPing != nil }

    /// Whether the connection is over: nothing is to be read or written.
    public final var isFinished: Bool {
        output.byteCount == 0 && !wantsOutput && (hasFailed || !library.wantsInput)
    }

    /// Streams that are open.
    public final var streamCount: Int { streams.count }

    // MARK: Ends

    /// Ends the connection with a GOAWAY, and every stream on it.
    public final func fail(_ failure: ConnectionFailure) {
        guard !hasFailed else { return }
        hasFailed = true
        library.terminate(failure.code)
        record(.connectionFailed(failure))
    }

    /// The library has ended the connection by itself.
    final func failed(_ code: HTTP2ErrorCode) {
        guard !hasFailed else { return }
        hasFailed = true
        record(.connectionFailed(.violation(code)))
    }

    /// Sends a PING behind what was submitted before.
    ///
    /// The library would send it first, and none behind a GOAWAY if no stream is open.
    public final func ping(_ payload: UInt64) { unsentPing = payload }
}

@available(*, unavailable)
extension HTTP2Session: Sendable {}
