import NIOCore

/// Content of one stream that waits to be serialized.
struct ContentQueue {
    private var pieces: ContiguousArray<ByteBuffer> = []
    /// Index of the first piece that is still queued. Pieces before it were taken.
    private var first = 0
    private(set) var byteCount = 0

    /// Pieces smaller than this (bytes) are copied, several into one frame. A write for each would cost more.
    static let smallestUncopied = 2048

    var isEmpty: Bool { byteCount == 0 }

    /// Memory that the queued pieces hold, in bytes.
    var storageByteCount: Int { pieces[first...].reduce(0) { $0 &+ $1.storageCapacity } }

    mutating func append(_ piece: ByteBuffer) {
        guard piece.readableBytes > 0 else { return }
        byteCount &+= piece.readableBytes
        guard pieces.count > first, piece.readableBytes < Self.smallestUncopied, var last = pieces.popLast() else {
            return pieces.append(piece)
        }
        if last.readableBytes &+ piece.readableBytes <= Self.smallestUncopied {
            Self.join(piece, to: &last)
            pieces.append(last)
        } else {
            pieces.append(last)
            pieces.append(piece)
        }
    }

    /// Joins a small piece to the last one. A small slice would keep its whole receive buffer alive, so the bytes are
    /// copied.
    private static func join(_ piece: ByteBuffer, to last: inout ByteBuffer) {
        if last.storageCapacity > 2 &* smallestUncopied {
            var own = ByteBufferAllocator().buffer(capacity: smallestUncopied)
            own.writeImmutableBuffer(last)
            last = own
        }
        last.writeImmutableBuffer(piece)
    }

    /// Size of the next frame's content, and whether it is a slice of one large piece, sent without copying.
    ///
    /// - Parameter most: Largest size that the flow-control windows and the frame size allow.
    func next(most: Int) -> (count: Int, isUncopied: Bool) {
        var count = 0
        for index in first..<max(first, pieces.count) {
            let size = pieces[index].readableBytes
            if size >= Self.smallestUncopied {
                guard count == 0 else { break }
                return (min(size, most), most >= Self.smallestUncopied)
            }
            guard count &+ size < most else { return (most, false) }
            count &+= size
        }
        return (count, false)
    }

    /// Copies content into the library's frame buffer and removes it from the queue.
    mutating func move(_ count: Int, to target: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < count, first < pieces.count {
            let taken = min(count &- filled, pieces[first].readableBytes)
            unsafe pieces[first].withUnsafeReadableBytes { bytes in
                // SAFETY: the library asked for at most as many bytes as its buffer holds.
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled..<(filled &+ taken)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(taken)))
            }
            pieces[first].moveReaderIndex(forwardBy: taken)
            filled &+= taken
            dropEmpty()
        }
        byteCount &-= filled
    }

    /// Takes a slice of the first piece, without copying it. Nil if the first piece has fewer bytes.
    mutating func takeSlice(_ count: Int) -> ByteBuffer? {
        guard first < pieces.count, let slice = pieces[first].readSlice(length: count) else { return nil }
        byteCount &-= count
        dropEmpty()
        return slice
    }

    private mutating func dropEmpty() {
        guard first < pieces.count, pieces[first].readableBytes == 0 else { return }
        pieces[first] = ByteBuffer()
        first &+= 1
        guard first == pieces.count else { return }
        pieces.removeAll(keepingCapacity: pieces.capacity <= 16)
        first = 0
    }

    /// Removes all content. Keeps the array's storage if it is small (16 pieces).
    mutating func removeAll() {
        pieces.removeAll(keepingCapacity: pieces.capacity <= 16)
        first = 0
        byteCount = 0
    }
}
