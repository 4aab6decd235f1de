import NIOCore
import ProxySettings

/// The buffers that a channel reads into: as large as its peer's parts, and small once memory is out.
///
/// Reading stops then, but what the system has reported readable before is read all the same, of thousands of
/// connections in one turn of a loop.
struct ReceiveBuffers: RecvByteBufferAllocator {
    private var usual = AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 2048, maximum: FixedLimits.read)
    private let memory: MemoryWatch?

    /// Size of a buffer while memory is out, in bytes.
    static let smallest = 256

    /// - Parameter memory: nil if memory is not watched.
    init(within memory: MemoryWatch?) {
        self.memory = memory
    }

    func buffer(allocator: ByteBufferAllocator) -> ByteBuffer {
        isSmall ? allocator.buffer(capacity: Self.smallest) : usual.buffer(allocator: allocator)
    }

    func nextBufferSize() -> Int? {
        isSmall ? Self.smallest : usual.nextBufferSize()
    }

    mutating func record(actualReadBytes: Int) -> Bool {
        usual.record(actualReadBytes: actualReadBytes)
    }

    private var isSmall: Bool { memory?.isOut ?? false }
}
