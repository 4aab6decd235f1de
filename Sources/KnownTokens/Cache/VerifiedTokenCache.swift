import JOSE
import Synchronization
import TokenVerification

/// Records of verified tokens, found by the digest of the token; this type sees neither token nor claims, only bytes
/// that its caller made.
///
/// **Memory.** `byteLimit` always bounds index and records together; memory is taken as it is used. A record costs its
/// bytes, 32 more, and 11 to 43 in the index, which grows in steps.
///
/// **Who stays.** New records are on probation, in a tenth of the memory, and move on only if they were used there or
/// while there is free space; see `TokenCacheShard`. So tokens that are used once, however many, evict only each other.
/// What never verified is never inserted: that is the caller's part.
///
/// **What an answer means.** A record was inserted under these 128 bits of a keyed digest, was not removed or replaced
/// since, and `now` is before its `until`. Not checked: whether its key, issuer or policy still stand.
///
/// Usable from any thread at once: a shard is locked while a record is found and copied, and no call leads out of it.
public final class VerifiedTokenCache: Sendable {
    private let layout: TokenCacheLayout
    private let shards: [LockedTokenCacheShard]

    /// - Parameters:
    ///   - byteLimit: what tables and records may take, in all. With less than 64 KiB long records are not kept.
    ///   - shards: how many threads can be served at the same instant, at best; small caches have fewer.
    public init(byteLimit: Int, shards: Int = 16) {
        let layout = TokenCacheLayout(byteLimit: byteLimit, shards: shards)
        self.layout = layout
        self.shards = (0..<layout.shards).map { _ in LockedTokenCacheShard(layout) }
    }

    /// Copies the record of a token and answers true; false, and `record` as it was, if there is none or `now` is at or
    /// past its time.
    public func lookup(_ digest: TokenDigest, at now: NumericDate, into record: inout TokenRecordBytes) -> Bool {
        shards[place(of: digest)].state.withLock { shard in shard.lookup(digest, at: now, into: &record) }
    }

    /// Keeps a record, in place of an older one of this token; it may be evicted at any time.
    ///
    /// A record that is longer than `TokenRecordBytes.mostBytes`, or has expired, is not kept; the older one is removed
    /// all the same.
    /// - Parameters:
    ///   - until: from then on it is never answered.
    ///   - now: what has expired by then is evicted first.
    public func insert(_ digest: TokenDigest, record: Span<UInt8>, until: NumericDate, at now: NumericDate) {
        shards[place(of: digest)].state.withLock { shard in shard.insert(digest, record: record, until: until, at: now)
        }
    }

    /// Forgets one token.
    public func remove(_ digest: TokenDigest) {
        shards[place(of: digest)].state.withLock { shard in shard.remove(digest) }
    }

    /// Forgets every token and gives the memory back; the counters begin anew.
    public func removeAll() {
        for shard in shards { shard.state.withLock { shard in shard = TokenCacheShard(layout) } }
    }

    /// The sum over all shards, each as it was at one moment.
    public var statistics: TokenCacheStatistics {
        shards.reduce(TokenCacheStatistics()) { sum, shard in sum + shard.state.withLock { shard in shard.statistics } }
    }

    /// The shard that a digest belongs to, by bits that the shard's index does not use.
    private func place(of digest: TokenDigest) -> Int {
        Int((UInt64(UInt32(truncatingIfNeeded: digest.second)) * UInt64(shards.count)) >> 32)
    }
}
