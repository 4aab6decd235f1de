/// Finds the lines of a head one after another and looks at each byte once, however the bytes arrive.
struct LineReader {
    /// Offset at which the unfinished line begins.
    private(set) var lineStart = 0

    /// Everything before belongs to finished lines or may stand in the line.
    private(set) var scanned = 0

    /// The last line that was finished, without its end.
    private(set) var lastLine = 0..<0

    /// Whether the line that is not finished has a byte above 0x7F.
    private var hasObsText = false

    /// A line without its end.
    struct Line {
        let range: Range<Int>
        /// Whether it has a byte above 0x7F.
        let hasObsText: Bool
    }

    /// Advances to the next byte that may not stand inside a line and returns the length of the line up to there.
    ///
    /// The caller compares it with its limit first, so that the verdict does not depend on how much has arrived.
    mutating func scan(_ bytes: Span<UInt8>) -> Int {
        if !hasObsText {
            scanned = ByteRepertoire.ascii.end(in: bytes, from: scanned)
            hasObsText = scanned < bytes.count && bytes[scanned] >= 0x80
        }
        if hasObsText { scanned = ByteRepertoire.obsText.end(in: bytes, from: scanned) }
        return scanned &- lineStart
    }

    /// The line whose end `scan(_:)` reached, without its line end; nil while the end has not arrived.
    mutating func finishLine(in bytes: Span<UInt8>) throws(FieldRejection) -> Line? {
        guard scanned < bytes.count else { return nil }
        let byte = bytes[scanned]
        guard byte == ASCII.carriageReturn else {
            // RFC 9112 §2.2 lets a recipient take a lone LF for a line end; readers that differ on it are how requests
            // get smuggled.
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
