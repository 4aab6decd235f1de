import MetricFamilies

/// Counters of one key set since the process started. Each only grows, and no label comes from a client.
public struct KeySetCounters: Sendable, Hashable {
    /// Attempts that were begun, for whatever reason.
    public internal(set) var fetches: UInt64 = 0
    /// Attempts that ended without a usable answer.
    public internal(set) var fetchFailures: UInt64 = 0
    /// Attempts that were told that nothing has changed (304).
    public internal(set) var notModified: UInt64 = 0
    /// Keys that came into use by a fetch.
    public internal(set) var keysAdded: UInt64 = 0
    /// Keys that went out of use: no longer in the document, and no longer kept.
    public internal(set) var keysRemoved: UInt64 = 0
    /// Attempts begun because a token named an unknown key ID.
    public internal(set) var unknownKeyIDFetches: UInt64 = 0
    /// Requests whose key ID was held to be unknown without a fetch of its own, because a fetch had confirmed it a
    /// moment ago.
    ///
    /// Those that were answered by the snapshot alone never come here.
    public internal(set) var unknownKeyIDsRefused: UInt64 = 0
    /// Requests whose key ID could not be asked about, likewise.
    public internal(set) var unknownKeyIDsNotAsked: UInt64 = 0

    public init() {}

    /// - Parameter samples: one for each key set, with its labels.
    public static func families(_ samples: ((KeySetCounters) -> UInt64) -> [MetricFamily.Sample]) -> [MetricFamily] {
        [
            .counter("bearward_key_set_fetches_total", "Attempts to fetch the key set.", samples(\.fetches)),
            .counter(
                "bearward_key_set_fetch_failures_total", "Attempts to fetch the key set that failed.",
                samples(\.fetchFailures)),
        ]
    }
}
