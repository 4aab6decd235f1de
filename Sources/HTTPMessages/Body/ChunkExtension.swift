/// The grammar of a chunk's extensions (RFC 9112 §7.1.1) after the first semicolon, without white space.
struct ChunkExtension {
    /// Number of bytes, with the first semicolon.
    private(set) var byteCount = 1
    private var place = Place.nameStart

    private enum Place {
        case nameStart
        case name
        case valueStart
        case token
        case quoted
        case quotedPair
        case quotedEnd
    }

    /// Whether the line may end here.
    var isComplete: Bool { place == .name || place == .token || place == .quotedEnd }

    mutating func take(_ byte: UInt8) throws(ChunkRejection) {
        byteCount &+= 1
        switch place {
        case .nameStart:
            guard ASCII.isToken(byte) else { throw .malformedExtension }
            place = .name
        case .name:
            if ASCII.isToken(byte) { return }
            if byte == ASCII.equals { place = .valueStart } else { try startNext(byte) }
        case .valueStart:
            guard byte == ASCII.quote || ASCII.isToken(byte) else { throw .malformedExtension }
            place = byte == ASCII.quote ? .quoted : .token
        case .token:
            if !ASCII.isToken(byte) { try startNext(byte) }
        case .quoted:
            guard Self.isText(byte) else { throw .malformedExtension }
            if byte == ASCII.quote { place = .quotedEnd }
            if byte == ASCII.backslash { place = .quotedPair }
        case .quotedPair:
            guard Self.isText(byte) else { throw .malformedExtension }
            place = .quoted
        case .quotedEnd:
            try startNext(byte)
        }
    }

    private mutating func startNext(_ byte: UInt8) throws(ChunkRejection) {
        guard byte == ASCII.semicolon else { throw .malformedExtension }
        place = .nameStart
    }

    /// Whether the byte may stand between quotes; obs-text may not.
    private static func isText(_ byte: UInt8) -> Bool { byte >= ASCII.space && byte < 0x7F || byte == ASCII.tab }
}
