import Quotas

/// Location of the counters for a configuration's quotas.
public enum QuotaAccounting: Sendable {
    /// Nothing is counted: quotas are named only, as for `explain`.
    case none
    /// In this process alone.
    case local(QuotaTable)
    /// In a store that several processes share. While it does not answer, this process counts itself and permits its
    /// share.
    case shared(QuotaTable, processes: Int)
}

/// Facts about a counted request that the authorizer needs, besides its head.
public struct RequestCounting: Sendable {
    /// True if the client's address is known; without it, no quota is charged by address.
    public var hasAddress = true
    /// The client's network as an IPv6 number in two halves. Zeros if there is none.
    public let high: UInt64
    public let low: UInt64
    /// Monotonic time, in nanoseconds.
    public let now: Int64

    public init(high: UInt64, low: UInt64, now: Int64) {
        self.high = high
        self.low = low
        self.now = now
    }
}

/// The charges that the shared store must decide before a request can be judged.
public struct QuotaWait: Sendable, Hashable {
    public let charges: [QuotaCharge]
}

/// Result of the wait for the shared store.
public indirect enum QuotaAnswer: Sendable, Hashable {
    case verdict(QuotaVerdict)
    case unreachable
}
