/// Reason to refuse the trailer section of an HTTP/2 stream (RFC 9113 §8.1). The stream is reset.
public enum TrailerMalformation: Error, Hashable, Sendable {
    /// A pseudo-header field, which trailers must not have.
    case pseudoHeader
    case invalidField
    /// A connection-specific field, which HTTP/2 forbids.
    case connectionField
    case tooManyFields
    case sectionTooLarge
}
