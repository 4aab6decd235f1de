import TokenVerification

/// An answer that Bearward gives itself: the reason, and what the client needs to act on it.
public struct Rejection: Error, Sendable, Hashable {
    public let reason: RejectionReason
    /// The one challenge of the answer; nil for answers that no credentials would change.
    public var challenge: BearerChallenge?
    /// When the client may retry.
    public var retryAfter: Duration?

    /// - Parameter challenge: kept with the reason's error code and description filled in, unless it has an error code
    ///   of its own.
    public init(_ reason: RejectionReason, challenge: BearerChallenge? = nil, retryAfter: Duration? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
        guard var challenge else { return }
        if challenge.error == nil {
            challenge.error = reason.bearerError
            challenge.errorDescription = reason.bearerErrorDescription
        }
        self.challenge = challenge
    }
}
