import NIOCore

/// What the sessions of one event loop share: the library's callbacks, options and memory, and pools of everything that
/// a request needs for a while. An idle connection holds none of it.
///
/// Confined to its event loop, as the sessions are. Its functions call nothing that could come back to it, so that its
/// properties need no checks of exclusive access.
public final class HTTP2Storage {
    let library = LibraryConfiguration()
    /// After how many ticks a peer's allowance is there again.
    let budgetPeriod: UInt64
    @safe @exclusivity(unchecked) private var blocks: ContiguousArray<FieldBlock> = []
    @safe @exclusivity(unchecked) private var records: ContiguousArray<StreamRecord> = []
    @safe @exclusivity(unchecked) private var events: ContiguousArray<ContiguousArray<HTTP2Event>> = []
    @safe @exclusivity(unchecked) private var buffers: ContiguousArray<ByteBuffer> = []

    private static let mostBlocks = 128
    private static let mostRecords = 1024
    private static let mostBuffers = 64
    private static let mostEvents = 4
    /// Of an output buffer, in bytes: a few heads; and what is kept of one that grew.
    private static let (bufferSize, largestBuffer) = (1024, 32 * 1024)

    /// - Parameter budgetPeriod: thirty seconds, in the ticks that the sessions are given.
    public init(budgetPeriod: UInt64) {
        self.budgetPeriod = budgetPeriod
    }

    /// Blocks of memory that the library holds, of all sessions.
    package var libraryAllocations: Int { library.memory.liveCount }

    // MARK: Field sections

    func takeBlock() -> FieldBlock { blocks.popLast() ?? FieldBlock() }

    /// Takes back a section that is not read any more.
    public func recycle(_ block: FieldBlock) {
        guard blocks.count < Self.mostBlocks else { return }
        block.removeAll()
        blocks.append(block)
    }

    // MARK: Streams

    func takeRecord() -> StreamRecord { records.popLast() ?? StreamRecord() }

    func recycle(_ record: StreamRecord) {
        record.clear()
        if records.count < Self.mostRecords { records.append(record) }
    }

    // MARK: Events

    func takeEvents() -> ContiguousArray<HTTP2Event> { events.popLast() ?? [] }

    func recycle(_ list: consuming ContiguousArray<HTTP2Event>) {
        guard events.count < Self.mostEvents, list.capacity <= 1024 else { return }
        list.removeAll(keepingCapacity: true)
        events.append(list)
    }

    // MARK: Output

    func takeBuffer() -> ByteBuffer {
        guard var buffer = buffers.popLast() else { return ByteBufferAllocator().buffer(capacity: Self.bufferSize) }
        buffer.clear()
        return buffer
    }

    /// Takes back a buffer of the output that has been written.
    ///
    /// One that is still used elsewhere does no harm, but saves nothing.
    public func recycle(_ buffer: ByteBuffer) {
        let isOrdinary = buffer.capacity >= Self.bufferSize && buffer.capacity <= Self.largestBuffer
        if isOrdinary, buffers.count < Self.mostBuffers { buffers.append(buffer) }
    }
}

@available(*, unavailable)
extension HTTP2Storage: Sendable {}
