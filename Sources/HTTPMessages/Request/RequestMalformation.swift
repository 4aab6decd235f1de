/// Reason why the field section of an HTTP/2 request is malformed (RFC 9113 §8.1.1).
public enum RequestMalformation: Error, Sendable, Hashable {
    /// One that is missing, repeated, or not one of a request.
    case pseudoHeader
    case latePseudoHeader
    case method
    case scheme
    case path
    case invalidFieldName
    case invalidFieldValue
    /// A field about the connection, which HTTP/2 does not have.
    case connectionField
    case repeatedHost
    case hostContradictsAuthority
    case contentLength
    /// The head is so far beyond its limit that the rest is not parsed.
    case fieldSectionTooLarge
}
