/// Statuses of the responses that the gateway itself generates (RFC 9110 §15, RFC 6585).
public enum AnswerStatus: Int, Sendable, Hashable, CaseIterable {
    case noContent = 204
    case badRequest = 400
    case unauthorized = 401
    case forbidden = 403
    case notFound = 404
    case methodNotAllowed = 405
    case requestTimeout = 408
    case contentTooLarge = 413
    case uriTooLong = 414
    case expectationFailed = 417
    case tooManyRequests = 429
    case requestHeaderFieldsTooLarge = 431
    case notImplemented = 501
    case badGateway = 502
    case serviceUnavailable = 503
    case gatewayTimeout = 504
    case httpVersionNotSupported = 505

    /// The equivalent gRPC status code ("HTTP to gRPC Status Code Mapping").
    public var grpc: Int {
        switch self {
        // UNKNOWN: no gRPC response has this status.
        case .noContent: 2
        case .unauthorized: 16
        case .forbidden: 7
        case .notFound, .methodNotAllowed: 12
        case .contentTooLarge, .requestHeaderFieldsTooLarge: 8
        case .tooManyRequests, .badGateway, .serviceUnavailable, .gatewayTimeout: 14
        case .badRequest, .requestTimeout, .uriTooLong, .expectationFailed, .notImplemented, .httpVersionNotSupported:
            13
        }
    }
}
