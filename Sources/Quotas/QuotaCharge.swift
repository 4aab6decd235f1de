/// One caller under one quota.
public struct QuotaAccount: Sendable, Hashable {
    /// Stands for the quota's name, in every process the same.
    public let quota: UInt64
    /// Stands for the caller.
    public let high: UInt64
    public let low: UInt64

    public init(quota: UInt64, high: UInt64, low: UInt64) {
        self.quota = quota
        self.high = high
        self.low = low
    }
}

/// A request, as one quota counts it.
public struct QuotaCharge: Sendable, Hashable {
    public let account: QuotaAccount
    public let rate: QuotaRate

    public init(_ account: QuotaAccount, _ rate: QuotaRate) {
        self.account = account
        self.rate = rate
    }
}

/// What becomes of a request that quotas count.
public enum QuotaVerdict: Sendable, Hashable {
    /// It is charged to each; the standing is that under the quota which has least left.
    case granted(QuotaStanding)
    /// It is charged to none; the standing is that under the quota which permits it last.
    case exceeded(QuotaStanding)
    /// It is charged to none: its caller is new, and there is no place to count it.
    case full
    /// Whoever counts for all processes does not answer, and the file says that requests are then refused.
    case unavailable
}

/// How a caller stands under one quota.
public struct QuotaStanding: Sendable, Hashable {
    /// The index of the charge.
    public let charge: Int
    /// Requests that would be permitted now.
    public let remaining: Int
    /// Until one more is permitted, or, where some are, until as many as ever are permitted.
    public let wait: Duration
    /// Whether half or less of what is permitted at once remains, so that its client should know.
    public let isLow: Bool

    public init(charge: Int, remaining: Int, wait: Duration, isLow: Bool = true) {
        self.charge = charge
        self.remaining = remaining
        self.wait = wait
        self.isLow = isLow
    }
}
