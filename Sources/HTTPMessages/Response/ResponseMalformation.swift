/// Reason why the field section of an HTTP/2 response is malformed (RFC 9113 §8.1.1).
public enum ResponseMalformation: Error, Sendable, Hashable {
    case pseudoHeader
    case status
    case invalidField
    /// A connection-specific field, which HTTP/2 forbids.
    case connectionField
    case contentLength
    /// The section exceeds the limit of a head so far that the rest is not read.
    case fieldSectionTooLarge
}
