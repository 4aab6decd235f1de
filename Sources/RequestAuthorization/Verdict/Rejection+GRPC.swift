import HTTPMessages
import TokenVerification

extension RejectionReason {
    /// The text that the problem document has, for `grpc-message` and for WebSocket close frames. It is ASCII without
    /// `%`, so nothing needs encoding.
    public var plainText: String { bearerErrorDescription ?? "\(ReasonPhrase.of(status))" }
}

extension Rejection {
    /// Writes the complete answer to a gRPC call: status 200, with the verdict in the head instead of in trailers
    /// ("Trailers-Only").
    ///
    /// The challenge is the same as over plain HTTP.
    public func writeGRPC(into head: inout some HeadOutput, _ terms: AnswerTerms) {
        head.beginAnswer(200, terms)
        head.field("content-type", "application/grpc")
        head.field("grpc-status", reason.grpcStatus)
        head.trusted("grpc-message", reason.plainText)
        if let challenge { head.field(challenge) }
        if let retryAfter { head.field("retry-after", retryAfter.inFullSeconds) }
        head.endAnswer(contentLength: 0, terms)
    }
}
