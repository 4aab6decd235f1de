import TokenVerification

/// A response by which Bearward itself answers a request: the reason, and the data the client needs to act on it.
public struct Rejection: Error, Sendable, Hashable {
    public let reason: RejectionReason
    /// The single challenge of the response. Nil if no credentials would change the outcome.
    public var challenge: BearerChallenge?
    /// Time until the client may retry (`Retry-After`). Nil if the response does not state it.
    public var retryAfter: Duration?

    /// - Parameter challenge: its error code and description are filled in from the reason, unless it already has an
    ///   error code.
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
