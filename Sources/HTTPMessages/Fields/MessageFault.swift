/// Fault of a request as an HTTP message, named as in logs and metrics. Each of them closes the connection.
public enum MessageFault: String, Sendable, Hashable, CaseIterable {
    case badRequest = "bad_request"
    case methodNotAllowed = "method_not_allowed"
    case requestTimeout = "request_timeout"
    case bodyTooLarge = "body_too_large"
    case targetTooLong = "target_too_long"
    case expectationFailed = "expectation_failed"
    case headTooLarge = "head_too_large"
    case codingNotSupported = "coding_not_supported"
    case versionNotSupported = "version_not_supported"

    public var status: AnswerStatus {
        switch self {
        case .badRequest: .badRequest
        case .methodNotAllowed: .methodNotAllowed
        case .requestTimeout: .requestTimeout
        case .bodyTooLarge: .contentTooLarge
        case .targetTooLong: .uriTooLong
        case .expectationFailed: .expectationFailed
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .codingNotSupported: .notImplemented
        case .versionNotSupported: .httpVersionNotSupported
        }
    }
}
