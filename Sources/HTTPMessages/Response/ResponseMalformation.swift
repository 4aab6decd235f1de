/// Reason why the field section of an HTTP/2 response is malformed (RFC 9113 §8.1.1).
public enum ResponseMalformation: Error, Sendable, Hashable {
    case pseudoHeader
    case status
    case invalidField
    /// A field about the connection, which HTTP/2 does not have.
    case connectionField
    case contentLength
    /// The head is so far beyond its limit that the rest is not parsed.
    case fieldSectionTooLarge
}
