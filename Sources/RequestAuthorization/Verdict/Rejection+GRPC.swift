import HTTPMessages
import TokenVerification

extension RejectionReason {
    /// The same text that a problem document has, for protocols that end with a line. ASCII without `%`, so that
    /// nothing needs encoding.
    public var plainText: String { bearerErrorDescription ?? "\(ReasonPhrase.of(status))" }
}

extension Rejection {
    /// Writes the whole answer to a call of gRPC: 200, and the verdict where the trailers of such an answer stand
    /// ("Trailers-Only").
    ///
    /// The challenge is the same as over plain HTTP.
    public func writeGRPC(into head: inout some HeadOutput, _ terms: AnswerTerms) {
        head.beginAnswer(200, terms)
        head.field("content-type", "application/grpc")
        head.field("grpc-status", reason.grpcStatus)
        head.trusted("grpc-message", reason.plainText)
        if let challenge { head.trusted("www-authenticate", challenge.fieldValue) }
        if let retryAfter { head.field("retry-after", retryAfter.inFullSeconds) }
        head.endAnswer(contentLength: 0, terms)
    }
}
