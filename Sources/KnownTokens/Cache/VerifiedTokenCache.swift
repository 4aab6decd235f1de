import JOSE
import Synchronization
import TokenVerification

/// Cache of records of verified tokens, found by the digest of the token. It sees neither token nor claims, only bytes
/// that its caller made.
///
/// **Memory.** `byteLimit` bounds index and records together; memory is taken as it is used. A record costs its bytes,
/// 32 more, and 11 to 43 in the index, which grows in steps.
///
/// **Eviction.** New records are on probation, in a tenth of the memory. They move on only if they were used there, or
/// while there is free space; see `TokenCacheShard`. So tokens that are used once, however many, evict only each other.
/// The caller must never insert a token that was not verified.
///
/// **Meaning of a hit.** A record was inserted under these 128 bits of a keyed digest, was not removed or replaced
/// since, and `now` is before its `until`. Not checked: whether its key, issuer or policy are still valid.
///
/// Usable from any thread at once. A shard is locked while a record is found and copied; no call leaves the shard under
/// its lock.
public final class VerifiedTokenCache: Sendable {
    private let layout: TokenCacheLayout
    private let shards: [LockedTokenCacheShard]

    /// - Parameters:
    ///   - byteLimit: most bytes for tables and records together. Below 64 KiB, long records are not cached.
    ///   - shards: most threads that can use the cache at the same instant; small caches have fewer.
    public init(byteLimit: Int, shards: Int = 16) {
        let layout = TokenCacheLayout(byteLimit: byteLimit, shards: shards)
        self.layout = layout
        self.shards = (0..<layout.shards).map { _ in LockedTokenCacheShard(layout) }
    }

    /// Copies the record of a token and returns true. Returns false and leaves `record` unchanged if there is none, or
    /// it expired.
    public func lookup(_ digest: TokenDigest, at now: NumericDate, into record: inout TokenRecordBytes) -> Bool {
        shards[place(of: digest)].state.withLock { shard in shard.lookup(digest, at: now, into: &record) }
    }

    /// Stores a record, and replaces an older one of this token. It may be evicted at any time.
    ///
    /// A record that is longer than `TokenRecordBytes.mostBytes` or has expired is not stored; the older one is removed
    /// nevertheless.
    /// - Parameters:
    ///   - until: time from which the record is never returned.
    ///   - now: the current time; records that expired by then are evicted first.
    public func insert(_ digest: TokenDigest, record: Span<UInt8>, until: NumericDate, at now: NumericDate) {
        shards[place(of: digest)].state.withLock { shard in shard.insert(digest, record: record, until: until, at: now)
        }
    }

    /// Removes the record of one token.
    public func remove(_ digest: TokenDigest) {
        shards[place(of: digest)].state.withLock { shard in shard.remove(digest) }
    }

    /// Removes all records and frees their memory. The counters are reset.
    public func removeAll() {
        for shard in shards { shard.state.withLock { shard in shard = TokenCacheShard(layout) } }
    }

    /// Sum over all shards, each read at one moment.
    public var statistics: TokenCacheStatistics {
        shards.reduce(TokenCacheStatistics()) { sum, shard in sum + shard.state.withLock { shard in shard.statistics } }
    }

    /// Index of the shard that a digest belongs to, by bits that the shard's index does not use.
    private func place(of digest: TokenDigest) -> Int {
        Int((UInt64(UInt32(truncatingIfNeeded: digest.second)) * UInt64(shards.count)) >> 32)
    }
}
