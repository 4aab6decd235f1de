import MetricFamilies

/// What a cache of verified tokens has done since it was made, and what it holds now.
public struct TokenCacheStatistics: Sendable, Hashable {
    /// Lookups that were answered.
    public internal(set) var hits: UInt64 = 0
    /// Lookups that were not, whether the record was never there, was dropped, or was past its time.
    public internal(set) var misses: UInt64 = 0
    /// Records that were taken in, those in place of an older one included.
    public internal(set) var insertions: UInt64 = 0
    /// Records evicted before they expired; expired ones are not counted.
    public internal(set) var evictions: UInt64 = 0
    /// Records held now; some of them may have expired and are dropped when they are next found.
    public internal(set) var entries = 0
    /// Bytes of memory taken so far for tables and records. It grows with use up to the limit, and stays there.
    public internal(set) var bytes = 0

    public init() {}

    /// - Parameters:
    ///   - cache: the cache in use. Nil without one.
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

    /// Both together.
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
