/// Reason to refuse the field section of an HTTP/2 request.
public enum RequestHeadFault: Error, Hashable, Sendable {
    /// The section breaks HTTP/2's own rules. The request is answered, and the stream ends (RFC 9113 §8.1.1).
    case malformed(RequestMalformation)
    /// The request would be refused in any HTTP version. It is answered with the rejection's status.
    case rejected(RequestHeadRejection)

    /// The fault that determines the status sent to the client.
    public var fault: MessageFault {
        switch self {
        case .malformed(.fieldSectionTooLarge): .headTooLarge
        case .malformed: .badRequest
        case .rejected(let rejection): rejection.fault
        }
    }

    /// True if the section breaks HTTP/2's own rules.
    public var isMalformed: Bool {
        switch self {
        case .malformed: true
        case .rejected: false
        }
    }
}
