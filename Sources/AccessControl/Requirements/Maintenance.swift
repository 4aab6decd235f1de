import TokenVerification

/// Time in which all requests of a resource or a rule are refused, whoever sends them.
public struct Maintenance: Sendable, Hashable {
    /// Time from which on it has no effect. Nil if it lasts until the file changes.
    public let until: NumericDate?
    /// Time after which clients may retry.
    public let retryAfter: Duration

    /// Default of `retryAfter`.
    public static let usualRetryAfter = Duration.seconds(300)

    public init(until: NumericDate? = nil, retryAfter: Duration = usualRetryAfter) {
        self.until = until
        self.retryAfter = retryAfter
    }

    public func isOngoing(at now: NumericDate) -> Bool {
        until.map { now < $0 } ?? true
    }
}
