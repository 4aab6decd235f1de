extension Span<UInt8> {
    /// True if both have the same bytes. Compared in words of eight bytes.
    @inlinable
    public func equals(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        guard count >= ByteWord.byteCount else {
            for index in indices where self[index] != other[index] { return false }
            return true
        }
        var index = 0
        while let word = ByteWord(self, at: index), let same = ByteWord(other, at: index) {
            guard word.bits == same.bits else { return false }
            index &+= ByteWord.byteCount
        }
        // The last word overlaps the one before.
        let last = count &- ByteWord.byteCount
        return index == count || ByteWord(self, at: last)?.bits == ByteWord(other, at: last)?.bits
    }

    /// Offset of the first byte from `start` on that `marks` marks. The count of the bytes if it marks none.
    ///
    /// Asks about four words at a time, which the compiler compares together, then about each word. The last word
    /// overlaps the one before, if there is one.
    ///
    /// - Parameter filler: a byte that is not marked. It completes the word where fewer than eight bytes follow.
    @inlinable
    @inline(__always)
    public func firstOffset(from start: Int, filler: UInt8, where marks: (ByteWord) -> ByteMarks) -> Int {
        // SAFETY: the bytes live as long as the span, whose they are.
        let (bytes, count) = unsafe (bytes, count)
        let start = Swift.max(start, 0)
        var index = start
        // SAFETY: in both loops, the bytes that are loaded follow the offset, as just compared.
        while count &- index >= 4 &* ByteWord.byteCount {
            let (first, second) = unsafe (ByteWord(bytes, at: index), ByteWord(bytes, at: index &+ 8))
            let (third, fourth) = unsafe (ByteWord(bytes, at: index &+ 16), ByteWord(bytes, at: index &+ 24))
            guard (marks(first) | marks(second) | marks(third) | marks(fourth)).isEmpty else { break }
            index &+= 4 &* ByteWord.byteCount
        }
        while count &- index >= ByteWord.byteCount {
            let found = unsafe marks(ByteWord(bytes, at: index))
            guard found.isEmpty else { return index &+ found.first }
            index &+= ByteWord.byteCount
        }
        guard index < count else { return count }
        if index > start { index = count &- ByteWord.byteCount }
        let found = marks(ByteWord(self, at: index, filler: filler))
        return found.isEmpty ? count : index &+ found.first
    }
}
