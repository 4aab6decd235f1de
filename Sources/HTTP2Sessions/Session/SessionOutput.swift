import NIOCore

/// What a session has serialized: pieces in order, of which the last is still written to.
struct SessionOutput {
    private(set) var byteCount = 0
    private var pieces: ContiguousArray<ByteBuffer> = []
    private var first = 0
    /// Behind the pieces.
    private var tail: ByteBuffer?

    /// Copies bytes behind the others.
    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>, _ storage: HTTP2Storage) {
        byteCount &+= bytes.count
        if tail == nil { tail = storage.takeBuffer() }
        _ = unsafe tail?.writeBytes(UnsafeRawBufferPointer(bytes))
    }

    /// Copies a frame behind the others.
    mutating func append(copying frame: [UInt8], _ storage: HTTP2Storage) {
        byteCount &+= frame.count
        if tail == nil { tail = storage.takeBuffer() }
        tail?.writeBytes(frame)
    }

    /// Adds content without copying it.
    mutating func append(piece: ByteBuffer) {
        byteCount &+= piece.readableBytes
        if let tail { pieces.append(tail) }
        tail = nil
        pieces.append(piece)
    }

    /// Writes another number where one stands, counted from the end.
    mutating func overwrite(_ number: UInt32, fromEnd distance: Int) {
        guard let index = tail?.writerIndex else { return }
        tail?.setInteger(number, at: index &- distance)
    }

    mutating func next() -> ByteBuffer? {
        if first < pieces.count {
            let piece = pieces[first]
            pieces[first] = ByteBuffer()
            first &+= 1
            byteCount &-= piece.readableBytes
            return piece
        }
        pieces.removeAll(keepingCapacity: pieces.capacity <= 64)
        first = 0
        let last = tail.take()
        byteCount = 0
        return last
    }
}
