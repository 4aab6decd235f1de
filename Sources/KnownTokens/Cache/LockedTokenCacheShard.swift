import Synchronization

/// A shard of the cache, with the lock that protects it.
final class LockedTokenCacheShard: Sendable {
    let state: Mutex<TokenCacheShard>

    init(_ layout: TokenCacheLayout) {
        state = Mutex(TokenCacheShard(layout))
    }
}
