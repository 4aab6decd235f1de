/// Finished requests since the start of the process, by class of the status and by duration.
public struct TrafficTotals: Sendable, Hashable {
    public let requests: UInt64
    public let clientErrors: UInt64
    public let serverErrors: UInt64
    /// Numbers of requests in each bucket of durations, not cumulative. The last bucket has no bound.
    public let buckets: [UInt64]

    public init(requests: UInt64, clientErrors: UInt64, serverErrors: UInt64, buckets: [UInt64]) {
        (self.requests, self.clientErrors, self.serverErrors) = (requests, clientErrors, serverErrors)
        self.buckets = buckets
    }
}
