/// Reason why a field section after the content of a stream is not a trailer section (RFC 9113 §8.1): the stream is
/// reset.
public enum TrailerMalformation: Error, Hashable, Sendable {
    /// Trailers have none.
    case pseudoHeader
    case invalidField
    /// A field about the connection, which HTTP/2 does not have.
    case connectionField
    case tooManyFields
    case sectionTooLarge
}
