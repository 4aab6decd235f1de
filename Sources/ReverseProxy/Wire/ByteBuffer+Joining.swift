import NIOCore

extension ByteBuffer {
    /// Gives out what was kept, with these bytes behind it; nothing is kept any more.
    mutating func takeAll(and bytes: ByteBuffer) -> ByteBuffer {
        guard readableBytes > 0 else { return bytes }
        var all = ByteBuffer()
        swap(&all, &self)
        all.writeImmutableBuffer(bytes)
        return all
    }
}
