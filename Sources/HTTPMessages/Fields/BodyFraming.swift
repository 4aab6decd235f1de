/// Framing of a request's body, which gives its end (RFC 9112 §6.3).
public enum BodyFraming: Hashable, Sendable {
    /// No body: neither `Content-Length` nor `Transfer-Encoding`.
    case none
    /// Exactly so many bytes.
    case length(Int)
    /// The chunked transfer coding.
    case chunked
}

/// Framing of a response's body, which gives its end (RFC 9112 §6.3), with regard to the request's method.
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
