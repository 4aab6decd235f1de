/// Reason why an HTTP/2 field section is not a request that can be judged further.
public enum RequestHeadFault: Error, Hashable, Sendable {
    /// No request by HTTP/2's own rules: it is answered, and the stream ends (RFC 9113 §8.1.1).
    case malformed(RequestMalformation)
    /// A request that is refused whatever version it comes in: it is answered with the rejection's status.
    case rejected(RequestHeadRejection)

    /// Fault as the client is answered.
    public var fault: MessageFault {
        switch self {
        case .malformed(.fieldSectionTooLarge): .headTooLarge
        case .malformed: .badRequest
        case .rejected(let rejection): rejection.fault
        }
    }

    /// Whether it is no request by HTTP/2's own rules.
    public var isMalformed: Bool {
        switch self {
        case .malformed: true
        case .rejected: false
        }
    }
}
