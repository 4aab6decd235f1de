import NIOCore

extension ByteBuffer {
    /// Returns what was kept, followed by these bytes; nothing is kept afterwards.
    mutating func takeAll(and bytes: ByteBuffer) -> ByteBuffer {
        guard readableBytes > 0 else { return bytes }
        var all = ByteBuffer()
        swap(&all, &self)
        all.writeImmutableBuffer(bytes)
        return all
    }
}
