import MetricFamilies

/// Counters of a token cache since its creation, and its current contents.
public struct TokenCacheStatistics: Sendable, Hashable {
    /// Lookups that found a record.
    public internal(set) var hits: UInt64 = 0
    /// Lookups that found no record: it was never stored, was dropped, or had expired.
    public internal(set) var misses: UInt64 = 0
    /// Records that were stored, including replacements of an older one.
    public internal(set) var insertions: UInt64 = 0
    /// Records evicted before they expired; expired ones are not counted.
    public internal(set) var evictions: UInt64 = 0
    /// Records in the cache now. Some may have expired; they are dropped when they are next found.
    public internal(set) var entries = 0
    /// Bytes of memory used so far for tables and records. The number grows with use up to the limit, and does not
    /// shrink.
    public internal(set) var bytes = 0

    public init() {}

    /// Metrics of the token cache.
    ///
    /// - Parameters:
    ///   - cache: statistics of the cache in use. Nil if there is none.
    ///   - retired: statistics of earlier caches.
    public static func families(of cache: TokenCacheStatistics?, after retired: TokenCacheStatistics) -> [MetricFamily]
    {
        let all = retired + (cache ?? TokenCacheStatistics())
        return [
            .gauge("bearward_token_cache_entries", "Verified tokens in the token cache.", cache?.entries ?? 0),
            .gauge("bearward_token_cache_bytes", "Memory that the token cache takes, in bytes.", cache?.bytes ?? 0),
            .counter("bearward_token_cache_hits_total", "Lookups of tokens that the token cache had.", all.hits),
            .counter(
                "bearward_token_cache_misses_total", "Lookups of tokens that the token cache did not have.", all.misses),
            .counter(
                "bearward_token_cache_evictions_total", "Tokens evicted from the token cache before they expired.",
                all.evictions),
        ]
    }

    /// Sum of both statistics.
    public static func + (left: TokenCacheStatistics, right: TokenCacheStatistics) -> TokenCacheStatistics {
        var sum = left
        sum.hits &+= right.hits
        sum.misses &+= right.misses
        sum.insertions &+= right.insertions
        sum.evictions &+= right.evictions
        sum.entries &+= right.entries
        sum.bytes &+= right.bytes
        return sum
    }
}
