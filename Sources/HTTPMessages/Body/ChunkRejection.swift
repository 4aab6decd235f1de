/// Reason to refuse a chunked body. The connection is closed.
public enum ChunkRejection: Error, Hashable, Sendable, CaseIterable {
    // Size line (RFC 9112 §7.1, §7.1.1)
    case missingSize
    case invalidSize
    case sizeTooLong
    case malformedExtension
    case extensionTooLong
    case tooManyExtensionBytes

    // Line ends and data
    case bareLineFeed
    case bareCarriageReturn
    case dataNotTerminated

    // Trailer section (RFC 9112 §7.1.2)
    case controlByteInTrailer
    case foldedTrailer
    case missingColonInTrailer
    case emptyTrailerName
    case invalidTrailerName
    case trailersTooLarge
    case tooManyTrailers
}
