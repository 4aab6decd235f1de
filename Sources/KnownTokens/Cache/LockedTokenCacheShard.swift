import Synchronization

/// A shard and the lock that it is used under.
final class LockedTokenCacheShard: Sendable {
    let state: Mutex<TokenCacheShard>

    init(_ layout: TokenCacheLayout) {
        state = Mutex(TokenCacheShard(layout))
    }
}
