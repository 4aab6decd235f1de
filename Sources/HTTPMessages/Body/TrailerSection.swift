import NetworkNames

/// Validator of a trailer section (RFC 9112 §7.1.2). Checks field lines as strictly as those of a head, and limits
/// their number and size.
///
/// Stores nothing: `ChunkedDecoder` keeps the bytes if trailers are to be forwarded. A trailer field never affects
/// framing, authorization or identity, whatever its name.
struct TrailerSection {
    private var place = Place.lineStart
    private var byteCount = 0
    private var fieldCount = 0

    private enum Place {
        case lineStart
        case name
        case value
        case lineFeed
        case lastLineFeed
    }

    /// Consumes one byte. Returns true if it ends the section.
    mutating func take(_ byte: UInt8, limits: ChunkLimits) throws(ChunkRejection) -> Bool {
        byteCount &+= 1
        guard byteCount <= limits.trailers else { throw .trailersTooLarge }
        switch place {
        case .lineStart:
            try startLine(byte, limits: limits)
        case .name:
            try takeName(byte)
        case .value:
            try takeValue(byte)
        case .lineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            place = .lineStart
        case .lastLineFeed:
            guard byte == ASCII.lineFeed else { throw .bareCarriageReturn }
            return true
        }
        return false
    }

    private mutating func startLine(_ byte: UInt8, limits: ChunkLimits) throws(ChunkRejection) {
        if byte == ASCII.carriageReturn {
            place = .lastLineFeed
            return
        }
        if ASCII.isOptionalWhitespace(byte) { throw .foldedTrailer }
        if byte == ASCII.colon { throw .emptyTrailerName }
        if byte == ASCII.lineFeed { throw .bareLineFeed }
        guard ASCII.isToken(byte) else { throw .invalidTrailerName }
        fieldCount &+= 1
        guard fieldCount <= limits.trailerFields else { throw .tooManyTrailers }
        place = .name
    }

    private mutating func takeName(_ byte: UInt8) throws(ChunkRejection) {
        if ASCII.isToken(byte) { return }
        switch byte {
        case ASCII.colon: place = .value
        case ASCII.lineFeed: throw .bareLineFeed
        case ASCII.carriageReturn: throw .missingColonInTrailer
        default: throw .invalidTrailerName
        }
    }

    private mutating func takeValue(_ byte: UInt8) throws(ChunkRejection) {
        switch byte {
        case ASCII.tab, ASCII.space...0x7E, 0x80...: return
        case ASCII.carriageReturn: place = .lineFeed
        case ASCII.lineFeed: throw .bareLineFeed
        default: throw .controlByteInTrailer
        }
    }
}
