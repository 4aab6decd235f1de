/// The statuses that answers of our own can have (RFC 9110 §15, RFC 6585).
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

    /// The status code of gRPC that says the same, as gRPC maps HTTP's ("HTTP to gRPC Status Code Mapping").
    public var grpc: Int {
        switch self {
        // Of another protocol.
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
