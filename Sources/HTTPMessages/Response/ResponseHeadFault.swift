/// Reason not to relay the field section of an HTTP/2 response. The stream is reset, and the client gets 502.
public enum ResponseHeadFault: Error, Hashable, Sendable {
    /// The section breaks HTTP/2's own rules (RFC 9113 §8.1.1).
    case malformed(ResponseMalformation)
    /// The response would be refused in any HTTP version.
    case rejected(ResponseHeadRejection)
}
