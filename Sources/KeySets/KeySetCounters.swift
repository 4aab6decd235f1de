import MetricFamilies

/// Counters of one key set since the process started. Each only grows, and no label comes from a client.
public struct KeySetCounters: Sendable, Hashable {
    /// Attempts to fetch that were started, for any reason.
    public internal(set) var fetches: UInt64 = 0
    /// Attempts without a usable answer.
    public internal(set) var fetchFailures: UInt64 = 0
    /// Attempts whose answer was that nothing has changed (304).
    public internal(set) var notModified: UInt64 = 0
    /// Keys that a fetch added to the keys in use.
    public internal(set) var keysAdded: UInt64 = 0
    /// Keys that are no longer in use: neither in the document nor kept.
    public internal(set) var keysRemoved: UInt64 = 0
    /// Attempts started because a token named an unknown key ID.
    public internal(set) var unknownKeyIDFetches: UInt64 = 0
    /// Requests whose key ID was rejected as unknown without a new fetch, because a fetch confirmed it within the last
    /// minute.
    ///
    /// Requests that the snapshot alone answers are not counted.
    public internal(set) var unknownKeyIDsRefused: UInt64 = 0
    /// Requests with an unknown key ID for which no fetch was allowed. Requests that the snapshot alone answers are not
    /// counted.
    public internal(set) var unknownKeyIDsNotAsked: UInt64 = 0

    public init() {}

    /// - Parameter samples: returns one sample of a counter for each key set, with its labels.
    public static func families(_ samples: ((KeySetCounters) -> UInt64) -> [MetricFamily.Sample]) -> [MetricFamily] {
        [
            .counter("bearward_key_set_fetches_total", "Attempts to fetch the key set.", samples(\.fetches)),
            .counter(
                "bearward_key_set_fetch_failures_total", "Attempts to fetch the key set that failed.",
                samples(\.fetchFailures)),
        ]
    }
}
