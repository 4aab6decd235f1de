import NetworkNames

/// Finds the lines of a head one after another and scans each byte once, however the bytes arrive.
struct LineReader {
    /// Offset at which the current, unfinished line begins.
    private(set) var lineStart = 0

    /// Offset of the next byte to scan. All bytes before it are allowed in a line.
    private(set) var scanned = 0

    /// The last finished line, without its line end.
    private(set) var lastLine = 0..<0

    /// True if the current line has a byte above 0x7F.
    private var hasObsText = false

    /// A line without its line end.
    struct Line {
        let range: Range<Int>
        /// True if the line has a byte above 0x7F.
        let hasObsText: Bool
    }

    /// Advances to the next byte that is not allowed inside a line and returns the line's length up to there.
    ///
    /// The caller compares the length with its limit first, so that the verdict does not depend on how many bytes have
    /// arrived.
    mutating func scan(_ bytes: Span<UInt8>) -> Int {
        if !hasObsText {
            scanned = ByteRepertoire.ascii.end(in: bytes, from: scanned)
            hasObsText = scanned < bytes.count && bytes[scanned] >= 0x80
        }
        if hasObsText { scanned = ByteRepertoire.obsText.end(in: bytes, from: scanned) }
        return scanned &- lineStart
    }

    /// The line whose end `scan(_:)` reached, without its line end. Nil while the end has not arrived.
    mutating func finishLine(in bytes: Span<UInt8>) throws(FieldRejection) -> Line? {
        guard scanned < bytes.count else { return nil }
        let byte = bytes[scanned]
        guard byte == ASCII.carriageReturn else {
            // RFC 9112 §2.2 lets a recipient take a lone LF for a line end. Readers that differ on it enable request
            // smuggling.
            if byte == ASCII.lineFeed { throw .bareLineFeed }
            throw .controlByte
        }
        guard scanned &+ 1 < bytes.count else { return nil }
        guard bytes[scanned &+ 1] == ASCII.lineFeed else { throw .bareCarriageReturn }
        let line = Line(range: lineStart..<scanned, hasObsText: hasObsText)
        lastLine = line.range
        scanned &+= 2
        lineStart = scanned
        hasObsText = false
        return line
    }
}
