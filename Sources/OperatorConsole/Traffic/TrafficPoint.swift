/// Traffic of one interval between two samples.
public struct TrafficPoint: Sendable, Hashable {
    /// Finished requests a second.
    public let requests: Double
    /// Requests answered with 4xx, a second.
    public let clientErrors: Double
    /// Requests answered with 5xx, a second.
    public let serverErrors: Double
    /// Median of the durations, in seconds. Nil if no request finished.
    public let median: Double?
    /// Duration in seconds that 99 % of the requests did not exceed. Nil if no request finished.
    public let percentile99: Double?

    public init(
        requests: Double, clientErrors: Double, serverErrors: Double, median: Double?, percentile99: Double?
    ) {
        (self.requests, self.clientErrors, self.serverErrors) = (requests, clientErrors, serverErrors)
        (self.median, self.percentile99) = (median, percentile99)
    }
}
