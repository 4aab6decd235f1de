import HTTPMessages
import TokenVerification

extension RejectionReason {
    /// The status code of gRPC that says the same; clients of gRPC read nothing else.
    ///
    /// As gRPC maps HTTP statuses ("HTTP to gRPC Status Code Mapping"), but for a deadline that was the client's own.
    public var grpcStatus: Int {
        if self == .deadlineExceeded { return 4 }
        return switch status {
        case 401: 16
        case 403: 7
        case 404, 405: 12
        case 413, 431: 8
        case 429, 502, 503, 504: 14
        default: 13
        }
    }

    /// The same text that a problem document has, for protocols that end with a line. ASCII without `%`, so that nothing needs encoding.
    public var plainText: String { bearerErrorDescription ?? "\(ReasonPhrase.of(status))" }
}

extension Rejection {
    /// The whole answer to a call of gRPC as bytes: 200, and the verdict where the trailers of such an answer stand ("Trailers-Only").
    ///
    /// The challenge is the same as over plain HTTP.
    public func grpcResponse(closing: ConnectionFate, date: String) -> [UInt8] {
        var head = "HTTP/1.1 200 OK\r\ndate: \(date)\r\ncontent-type: application/grpc\r\n"
        head += "grpc-status: \(reason.grpcStatus)\r\ngrpc-message: \(reason.plainText)\r\n"
        if let challenge { head += "www-authenticate: \(challenge.fieldValue)\r\n" }
        if let retryAfter { head += "retry-after: \(max(1, Int(retryAfter.inSeconds.rounded(.up))))\r\n" }
        head += "content-length: 0\r\n"
        return Array((head + (closing == .close ? "connection: close\r\n\r\n" : "\r\n")).utf8)
    }
}
