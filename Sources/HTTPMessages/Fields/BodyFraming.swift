/// The way to find the end of a request's body (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
    /// No body: the request has neither `Content-Length` nor `Transfer-Encoding`.
    case none
    /// A body of exactly this many bytes.
    case length(Int)
    /// A body in the chunked transfer coding.
    case chunked
}

/// The way to find the end of a response's body (RFC 9112 §6.3), with the request's method taken into account.
public enum ResponseBodyFraming: Hashable, Sendable {
    /// No body: a response to HEAD, or a status that never has one. `Content-Length` may be present nevertheless.
    case none
    /// A body of exactly this many bytes.
    case length(Int)
    /// A body in the chunked transfer coding.
    case chunked
    /// The body ends when the peer closes the connection.
    case untilClose
}
