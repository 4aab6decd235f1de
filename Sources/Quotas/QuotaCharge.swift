/// One caller under one quota.
public struct QuotaAccount: Sendable, Hashable {
    /// Hash of the quota's name; the same in every process.
    public let quota: UInt64
    /// Digest that identifies the caller, in two halves.
    public let high: UInt64
    public let low: UInt64

    public init(quota: UInt64, high: UInt64, low: UInt64) {
        self.quota = quota
        self.high = high
        self.low = low
    }
}

/// A request as one quota counts it.
public struct QuotaCharge: Sendable, Hashable {
    public let account: QuotaAccount
    public let rate: QuotaRate

    public init(_ account: QuotaAccount, _ rate: QuotaRate) {
        self.account = account
        self.rate = rate
    }
}

/// Verdict of the quotas on a request.
public enum QuotaVerdict: Sendable, Hashable {
    /// The request is charged to all quotas. The standing is that of the quota with the fewest requests left.
    case granted(QuotaStanding)
    /// The request is charged to no quota. The standing is that of the quota that makes the caller wait longest.
    case exceeded(QuotaStanding)
    /// The request is charged to no quota: its caller is new, and the table is full.
    case full
    /// The store shared by all processes does not answer, and the configuration says that requests are then rejected.
    case unavailable
}

/// State of a caller under one quota.
public struct QuotaStanding: Sendable, Hashable {
    /// Index of the charge whose quota this describes.
    public let charge: Int
    /// Number of requests that would be permitted now.
    public let remaining: Int
    /// Time until one more request is permitted. If some are permitted now, time until the whole burst is permitted
    /// again.
    public let wait: Duration
    /// True if at most half of the burst remains, so that the response should tell the client.
    public let isLow: Bool

    public init(charge: Int, remaining: Int, wait: Duration, isLow: Bool = true) {
        self.charge = charge
        self.remaining = remaining
        self.wait = wait
        self.isLow = isLow
    }
}
