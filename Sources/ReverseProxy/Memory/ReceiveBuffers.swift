import NIOCore
import ProxySettings

/// Receive buffers of a channel: sized by the peer's usual reads, and small once memory is out.
///
/// Reading stops then, but data already reported as readable is still read, for thousands of connections in one turn of
/// a loop.
struct ReceiveBuffers: RecvByteBufferAllocator {
    private var usual = AdaptiveRecvByteBufferAllocator(minimum: 2048, initial: 2048, maximum: FixedLimits.read)
    private let memory: MemoryWatch?

    /// Size of a buffer while memory is out, in bytes.
    static let smallest = 256

    /// - Parameter memory: Nil if memory is not watched.
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
