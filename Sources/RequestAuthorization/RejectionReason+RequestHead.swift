import HTTPMessages

extension RejectionReason {
    /// The reason for a request head that was refused.
    public init(_ rejection: RequestHeadRejection) {
        self =
            switch rejection.status {
            case 405: .methodNotAllowed
            case 414: .targetTooLong
            case 417: .expectationFailed
            case 431: .headTooLarge
            case 501: .codingNotSupported
            case 505: .versionNotSupported
            default: .badRequest
            }
    }
}
