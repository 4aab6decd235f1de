/// Reason why an HTTP/2 field section is not a response that can be relayed: the stream is reset, and the client gets
/// 502.
public enum ResponseHeadFault: Error, Hashable, Sendable {
    /// No response by HTTP/2's own rules (RFC 9113 §8.1.1).
    case malformed(ResponseMalformation)
    /// A response that is not relayed whatever version it comes in.
    case rejected(ResponseHeadRejection)
}
