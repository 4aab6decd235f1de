import NIOCore

extension ByteBuffer {
    /// Returns the bytes of this buffer followed by `bytes`, and empties this buffer.
    mutating func takeAll(and bytes: ByteBuffer) -> ByteBuffer {
        guard readableBytes > 0 else { return bytes }
        var all = ByteBuffer()
        swap(&all, &self)
        all.writeImmutableBuffer(bytes)
        return all
    }
}
