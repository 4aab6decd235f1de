import NIOCore

/// Resources shared by the HTTP/2 sessions of one event loop: the library's (nghttp2) callbacks, options and memory,
/// and pools of objects that a request needs. An idle connection holds none of them.
///
/// Confined to its event loop, as the sessions are. Its functions call nothing that could call back, so its properties
/// need no exclusivity checks.
public final class HTTP2Storage {
    let library = LibraryConfiguration()
    /// Ticks until a peer's allowance is granted again.
    let budgetPeriod: UInt64
    @safe @exclusivity(unchecked) private var blocks: ContiguousArray<FieldBlock> = []
    @safe @exclusivity(unchecked) private var records: ContiguousArray<StreamRecord> = []
    @safe @exclusivity(unchecked) private var events: ContiguousArray<ContiguousArray<HTTP2Event>> = []
    @safe @exclusivity(unchecked) private var buffers: ContiguousArray<ByteBuffer> = []

    private static let mostBlocks = 128
    private static let mostRecords = 1024
    private static let mostBuffers = 64
    private static let mostEvents = 4
    /// Size of a new output buffer (a few heads), and of the largest buffer that is kept, in bytes.
    private static let (bufferSize, largestBuffer) = (1024, 32 * 1024)

    /// - Parameter budgetPeriod: Thirty seconds, in ticks.
    public init(budgetPeriod: UInt64) {
        self.budgetPeriod = budgetPeriod
    }

    /// Number of memory blocks that the library (nghttp2) holds, for all sessions.
    package var libraryAllocations: Int { library.memory.liveCount }

    // MARK: Field sections

    func takeBlock() -> FieldBlock { blocks.popLast() ?? FieldBlock() }

    /// Returns a section to the pool after it was read.
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

    /// Returns an output buffer to the pool after it was written.
    ///
    /// A buffer that is still used elsewhere is safe to return, but saves no allocation.
    public func recycle(_ buffer: ByteBuffer) {
        let isOrdinary = buffer.capacity >= Self.bufferSize && buffer.capacity <= Self.largestBuffer
        if isOrdinary, buffers.count < Self.mostBuffers { buffers.append(buffer) }
    }
}

@available(*, unavailable)
extension HTTP2Storage: Sendable {}
