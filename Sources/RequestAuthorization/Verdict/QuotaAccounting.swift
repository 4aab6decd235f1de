import Quotas

/// Where the requests of a configuration are counted.
public enum QuotaAccounting: Sendable {
    /// Nowhere: quotas are named and nothing is charged, as for `explain`.
    case none
    /// In this process alone.
    case local(QuotaTable)
    /// By a store that several processes share; while it cannot be asked, in this process, which permits its part.
    case shared(QuotaTable, processes: Int)
}

/// What an authorizer has to know of a request that is counted, besides its head.
public struct RequestCounting: Sendable {
    /// Whether the client's address is known; without it no quota is charged by address.
    public var hasAddress = true
    /// The client's network, as IPv6 in two halves; zeros where there is none.
    public let high: UInt64
    public let low: UInt64
    /// Monotonic, in nanoseconds.
    public let now: Int64

    public init(high: UInt64, low: UInt64, now: Int64) {
        self.high = high
        self.low = low
        self.now = now
    }
}

/// What a request needs before it can be judged: the shared store's word on its quotas.
public struct QuotaWait: Sendable, Hashable {
    public let charges: [QuotaCharge]
}

/// How the wait for the shared store ended.
public indirect enum QuotaAnswer: Sendable, Hashable {
    case verdict(QuotaVerdict)
    case unreachable
}
