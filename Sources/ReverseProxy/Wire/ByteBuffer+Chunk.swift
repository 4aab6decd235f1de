import HTTPMessages
import NIOCore

extension ByteBuffer {
    /// The bytes as one chunk (RFC 9112 §7.1).
    func asChunk(_ allocator: ByteBufferAllocator) -> ByteBuffer {
        var size: [UInt8] = []
        ChunkedEncoder.appendSize(readableBytes, to: &size)
        var chunk = allocator.buffer(capacity: size.count + readableBytes + ChunkedEncoder.dataEnd.count)
        chunk.writeBytes(size)
        chunk.writeImmutableBuffer(self)
        chunk.writeBytes(ChunkedEncoder.dataEnd)
        return chunk
    }
}
