/// Finds the lines of a head one after another and looks at each byte once, however the bytes arrive.
struct LineReader {
    /// Which bytes may stand in a line beside HTAB and 0x20–0x7E.
    enum Repertoire {
        case ascii
        case obsText
    }

    /// Where the line that is not finished begins.
    private(set) var lineStart = 0

    /// Everything before belongs to finished lines or may stand in the line.
    private(set) var scanned = 0

    private let repertoire: Repertoire

    init(_ repertoire: Repertoire) { self.repertoire = repertoire }

    /// Goes on to the next byte that may not stand inside a line and returns the length of the line up to there.
    ///
    /// The caller compares it with its limit first, so that the verdict does not depend on how much has arrived.
    mutating func scan(_ bytes: Span<UInt8>) -> Int {
        scanned = stop(in: bytes, from: scanned)
        return scanned &- lineStart
    }

    /// The line that `scan(_:)` came to the end of, without its line end; nil while the end is not there.
    mutating func finishLine(in bytes: Span<UInt8>) throws(FieldRejection) -> Range<Int>? {
        guard scanned < bytes.count else { return nil }
        let byte = bytes[scanned]
        guard byte == ASCII.carriageReturn else {
            // RFC 9112 §2.2 lets a recipient take a lone LF for a line end; readers that differ on it are how requests get smuggled.
            if byte == ASCII.lineFeed { throw .bareLineFeed }
            throw byte < 0x80 ? .controlByte : .nonASCIIByte
        }
        guard scanned &+ 1 < bytes.count else { return nil }
        guard bytes[scanned &+ 1] == ASCII.lineFeed else { throw .bareCarriageReturn }
        let line = lineStart..<scanned
        scanned &+= 2
        lineStart = scanned
        return line
    }

    /// The first byte from `start` on that may not stand inside a line: most of a token 32 bytes at a time, the rest in words of eight.
    private func stop(in bytes: Span<UInt8>, from start: Int) -> Int {
        let raw = unsafe bytes.bytes
        let end = bytes.count
        var index = start
        while index &+ 32 <= end {
            let first = outOfPlace(Self.word(of: raw, at: index)) | outOfPlace(Self.word(of: raw, at: index &+ 8))
            let second = outOfPlace(Self.word(of: raw, at: index &+ 16)) | outOfPlace(Self.word(of: raw, at: index &+ 24))
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
        while index < end, outOfPlace(UInt64(bytes[index]) | 0x2020_2020_2020_2000) == 0 || bytes[index] == ASCII.tab { index &+= 1 }
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
        switch repertoire {
        case .ascii: return (control | word) & top
        case .obsText: return control & ~word & top
        }
    }
}
