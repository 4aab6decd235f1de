import NetworkNames

/// Parser for a chunk's extensions (RFC 9112 §7.1.1) after the first semicolon. White space is refused.
struct ChunkExtension {
    /// Number of bytes so far, including the first semicolon.
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

    /// True if the line may end after the bytes so far.
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

    /// True if the byte is allowed in a quoted string. Obs-text is not.
    private static func isText(_ byte: UInt8) -> Bool { byte >= ASCII.space && byte < 0x7F || byte == ASCII.tab }
}
