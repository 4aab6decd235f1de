import NetworkNames

/// Set of bytes that are allowed in a line of a head or in a field value, in addition to HTAB and 0x20–0x7E.
enum ByteRepertoire {
    case ascii
    /// Also allows 0x80–0xFF (RFC 9110 §5.5).
    case obsText

    /// Offset of the first byte from `start` on that is not allowed, or the count of the bytes if all are.
    ///
    /// Most of a token is checked 32 bytes at a time, the rest in words of eight bytes.
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

    /// Loads eight bytes. At least eight bytes must follow the offset.
    @inline(__always)
    private static func word(of bytes: RawSpan, at offset: Int) -> UInt64 {
        // SAFETY: both callers compare the offset with the end first.
        unsafe UInt64(littleEndian: bytes.unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: UInt64.self))
    }

    /// Sets the top bit of each of the eight bytes that is outside 0x20–0x7E and, where obs-text is allowed, below
    /// 0x80.
    @inline(__always)
    private func outOfPlace(_ word: UInt64) -> UInt64 {
        let top: UInt64 = 0x8080_8080_8080_8080
        let low = word & ~top
        // With the top bit masked out, no byte can borrow from or carry into its neighbour.
        let control = ~((low | top) &- 0x2020_2020_2020_2020) | (low &+ 0x0101_0101_0101_0101)
        switch self {
        case .ascii: return (control | word) & top
        case .obsText: return control & ~word & top
        }
    }
}
