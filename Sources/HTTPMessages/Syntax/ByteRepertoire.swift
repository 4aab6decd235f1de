/// Bytes that are valid in a line of a head, or in a field value, beside HTAB and 0x20–0x7E.
enum ByteRepertoire {
    case ascii
    /// 0x80–0xFF as well (RFC 9110 §5.5).
    case obsText

    /// The first byte from `start` on that may not stand there, or the end: most of a token 32 bytes at a time, the
    /// rest in words of eight.
    func end(in bytes: Span<UInt8>, from start: Int) -> Int {
        let raw = unsafe bytes.bytes
        let end = bytes.count
        var index = start
        while index &+ 32 <= end {
            let first = outOfPlace(Self.word(of: raw, at: index)) | outOfPlace(Self.word(of: raw, at: index &+ 8))
            let second =
                outOfPlace(Self.word(of: raw, at: index &+ 16)) | outOfPlace(Self.word(of: raw, at: index &+ 24))
            guard first | second == 0 else { break }
            index &+= 32
        }
        while index &+ 8 <= end {
            let marks = outOfPlace(Self.word(of: raw, at: index))
            if marks == 0 {
                index &+= 8
                continue
            }
            index &+= marks.trailingZeroBitCount &>> 3
            guard bytes[index] == ASCII.tab else { return index }
            index &+= 1
        }
        while index < end, outOfPlace(UInt64(bytes[index]) | 0x2020_2020_2020_2000) == 0 || bytes[index] == ASCII.tab {
            index &+= 1
        }
        return index
    }

    /// Only for an offset with eight bytes of the span behind it.
    @inline(__always)
    private static func word(of bytes: RawSpan, at offset: Int) -> UInt64 {
        // SAFETY: both callers compare the offset with the end first.
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Sets the top bit of each of the eight bytes that is not among 0x20–0x7E or, where allowed, obs-text.
    @inline(__always)
    private func outOfPlace(_ word: UInt64) -> UInt64 {
        let top: UInt64 = 0x8080_8080_8080_8080
        let low = word & ~top
        // Without the top bit no byte can borrow from or carry into its neighbour.
        let control = ~((low | top) &- 0x2020_2020_2020_2020) | (low &+ 0x0101_0101_0101_0101)
        switch self {
        case .ascii: return (control | word) & top
        case .obsText: return control & ~word & top
        }
    }
}
