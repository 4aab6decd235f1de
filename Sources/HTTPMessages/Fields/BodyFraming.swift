/// How the end of a request's body is found (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
    /// No body: neither `Content-Length` nor `Transfer-Encoding`.
    case none
    /// Exactly so many bytes.
    case length(Int)
    /// The chunked transfer coding.
    case chunked
}

/// How the end of a response's body is found (RFC 9112 §6.3), the request's method taken into account.
public enum ResponseBodyFraming: Hashable, Sendable {
    /// No body: an answer to HEAD, or a status that never has one; `Content-Length` may be there all the same.
    case none
    /// Exactly so many bytes.
    case length(Int)
    /// The chunked transfer coding.
    case chunked
    /// Everything until the peer closes.
    case untilClose
}
