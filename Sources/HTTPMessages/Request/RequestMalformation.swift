/// Reason why the field section of an HTTP/2 request is malformed (RFC 9113 §8.1.1).
public enum RequestMalformation: Error, Sendable, Hashable {
    /// A pseudo-header field that is missing, repeated, or not allowed in a request.
    case pseudoHeader
    case latePseudoHeader
    case method
    case scheme
    case path
    case invalidFieldName
    case invalidFieldValue
    /// A connection-specific field, which HTTP/2 forbids.
    case connectionField
    case repeatedHost
    case hostContradictsAuthority
    case contentLength
    /// The section exceeds the limit of a head so far that the rest is not read.
    case fieldSectionTooLarge
}
