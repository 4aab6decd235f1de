import NIOCore

/// Content of one stream that waits to be serialized.
struct ContentQueue {
    private var pieces: ContiguousArray<ByteBuffer> = []
    /// Those before it are gone.
    private var first = 0
    private(set) var byteCount = 0

    /// Smaller pieces are copied, several into one frame: a write of their own would cost more.
    static let smallestUncopied = 2048

    var isEmpty: Bool { byteCount == 0 }

    /// What its pieces keep in memory, in bytes.
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

    /// Each small piece by itself would keep the whole buffer that it was received in.
    private static func join(_ piece: ByteBuffer, to last: inout ByteBuffer) {
        if last.storageCapacity > 2 &* smallestUncopied {
            var own = ByteBufferAllocator().buffer(capacity: smallestUncopied)
            own.writeImmutableBuffer(last)
            last = own
        }
        last.writeImmutableBuffer(piece)
    }

    /// How many bytes the next frame takes, and whether they are one part of a large piece.
    ///
    /// - Parameter most: what the windows and the frame allow.
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

    /// Moves bytes into the library's frame.
    mutating func move(_ count: Int, to target: UnsafeMutableRawBufferPointer) {
        var filled = 0
        while filled < count, first < pieces.count {
            let taken = min(count &- filled, pieces[first].readableBytes)
            unsafe pieces[first].withUnsafeReadableBytes { bytes in
                // SAFETY: the library asked for no more than its buffer holds.
                unsafe UnsafeMutableRawBufferPointer(rebasing: target[filled..<(filled &+ taken)])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(taken)))
            }
            pieces[first].moveReaderIndex(forwardBy: taken)
            filled &+= taken
            dropEmpty()
        }
        byteCount &-= filled
    }

    /// Takes a part of the first piece without copying it.
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

    /// Forgets everything; the storage of a few pieces is kept.
    mutating func removeAll() {
        pieces.removeAll(keepingCapacity: pieces.capacity <= 16)
        first = 0
        byteCount = 0
    }
}
