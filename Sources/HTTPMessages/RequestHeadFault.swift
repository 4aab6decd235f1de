/// Why an HTTP/2 field section is no request that can be judged further.
public enum RequestHeadFault: Error, Hashable, Sendable {
    /// No request by HTTP/2's own rules: the stream is reset with PROTOCOL_ERROR (RFC 9113 §8.1.1).
    case malformed(RequestMalformation)
    /// A request that is refused whatever version it comes in: it is answered with the rejection's status.
    case rejected(RequestHeadRejection)
}
