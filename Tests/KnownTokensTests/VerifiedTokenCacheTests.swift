import TestSupport
import Testing
import TokenVerification

@testable import JOSE
@testable import KnownTokens

@Suite struct VerifiedTokenCacheTests {
    private let digests = CacheSamples.digests(300, seed: 1)

    private func cache(_ byteLimit: Int = 1 << 20) -> VerifiedTokenCache { VerifiedTokenCache(byteLimit: byteLimit) }

    @Test(arguments: [0, 1, 7, 8, 9, 200, TokenRecordBytes.mostBytes - 1, TokenRecordBytes.mostBytes])
    func `a record is returned as it was inserted`(count: Int) {
        let cache = cache()
        let record = CacheSamples.record(count, seed: 3)
        #expect(cache.record(of: digests[0]) == nil)
        cache.insert(digests[0], bytes: record)
        #expect(cache.record(of: digests[0]) == record)
        #expect(cache.record(of: digests[1]) == nil)
    }

    @Test func `a record over the size limit is not cached, and the previous record is removed`() {
        let cache = cache()
        cache.insert(digests[0], bytes: [1])
        cache.insert(digests[0], bytes: CacheSamples.record(TokenRecordBytes.mostBytes + 1, seed: 1))
        #expect(cache.record(of: digests[0]) == nil)
        #expect(cache.statistics.entries == 0)
        #expect(cache.statistics.insertions == 1)
    }

    @Test(arguments: [1, 20, 24, 200]) func `a second record of a token replaces the first, whether shorter or longer`(
        count: Int
    ) {
        let cache = cache()
        cache.insert(digests[0], bytes: CacheSamples.record(21, seed: 1))
        let record = CacheSamples.record(count, seed: 2)
        cache.insert(digests[0], bytes: record)
        #expect(cache.record(of: digests[0]) == record)
        #expect(cache.statistics.entries == 1)
        #expect(cache.statistics.insertions == 2)
    }

    @Test func `a record is returned before its expiry, and not at it`() {
        let cache = cache()
        cache.insert(digests[0], bytes: [1], until: NumericDate(seconds: 2_000_000_000))
        #expect(cache.record(of: digests[0], at: NumericDate(seconds: 1_999_999_999.5)) == [1])
        #expect(cache.record(of: digests[0], at: NumericDate(seconds: 2_000_000_000)) == nil)
        // It was removed, so even a clock that goes back does not restore it.
        #expect(cache.record(of: digests[0], at: CacheSamples.now) == nil)
        #expect(cache.statistics.entries == 0)
        #expect(cache.statistics.evictions == 0)
    }

    @Test func `a record with a past or invalid expiry is not cached`() {
        let cache = cache()
        cache.insert(digests[0], bytes: [1], until: CacheSamples.now)
        cache.insert(digests[1], bytes: [1], until: NumericDate(seconds: .nan))
        cache.insert(digests[2], bytes: [1], at: NumericDate(seconds: .nan))
        #expect(cache.statistics.entries == 0)
        cache.insert(digests[3], bytes: [1])
        #expect(cache.record(of: digests[3], at: NumericDate(seconds: .nan)) == nil)
    }

    @Test func `inserting an expired record removes the earlier record`() {
        let cache = cache()
        cache.insert(digests[0], bytes: [1])
        cache.insert(digests[0], bytes: [2], until: CacheSamples.now)
        #expect(cache.record(of: digests[0]) == nil)
    }

    @Test func `a removed token is forgotten, and no other token is`() {
        let cache = cache()
        for digest in digests { cache.insert(digest, bytes: [UInt8(truncatingIfNeeded: digest.third)]) }
        for digest in digests[..<150] { cache.remove(digest) }
        for digest in digests[..<150] { #expect(cache.record(of: digest) == nil) }
        for digest in digests[150...] { #expect(cache.record(of: digest) == [UInt8(truncatingIfNeeded: digest.third)]) }
        #expect(cache.statistics.entries == 150)
    }

    @Test func `removing all tokens frees the memory, and the cache stays usable`() {
        let cache = cache()
        for digest in digests { cache.insert(digest, bytes: [1]) }
        #expect(cache.statistics.bytes > 0)
        cache.removeAll()
        #expect(cache.statistics == TokenCacheStatistics())
        #expect(cache.record(of: digests[0]) == nil)
        cache.insert(digests[0], bytes: [2])
        #expect(cache.record(of: digests[0]) == [2])
    }

    @Test func `digests that differ in one of their first 128 bits are two tokens (T382)`() {
        let cache = cache()
        let digest = digests[0]
        cache.insert(digest, bytes: [1])
        for bit in 0..<64 {
            let others = [
                TokenDigest(words: [digest.first ^ 1 << bit, digest.second, digest.third, digest.fourth]),
                TokenDigest(words: [digest.first, digest.second ^ 1 << bit, digest.third, digest.fourth]),
            ]
            for other in others { #expect(cache.record(of: other) == nil) }
        }
        #expect(cache.record(of: digest) == [1])
    }

    @Test func `hits, misses, insertions and entries are counted`() {
        let cache = cache()
        cache.insert(digests[0], bytes: [1])
        cache.insert(digests[1], bytes: [1])
        for digest in digests[..<5] { _ = cache.record(of: digest) }
        let statistics = cache.statistics
        #expect((statistics.hits, statistics.misses, statistics.insertions) == (2, 3, 2))
        #expect((statistics.entries, statistics.evictions) == (2, 0))
    }

    @Test func `a lookup overwrites the buffer of the previous one, and a miss leaves it unchanged`() {
        let cache = cache()
        cache.insert(digests[0], bytes: [1, 2, 3])
        cache.insert(digests[1], bytes: [4])
        var record = TokenRecordBytes(reservingCapacity: ())
        let capacity = record.bytes.capacity
        #expect(capacity >= TokenRecordBytes.mostBytes)
        #expect(cache.lookup(digests[0], at: CacheSamples.now, into: &record))
        #expect(cache.lookup(digests[1], at: CacheSamples.now, into: &record))
        #expect(!cache.lookup(digests[2], at: CacheSamples.now, into: &record))
        #expect(record.bytes == [4])
        #expect(record.bytes.capacity == capacity)
    }

    @Test(arguments: [Int.min, -1, 0, 1, 7, 100, 1000, 4096])
    func `a cache too small for any record keeps its limit and works`(
        byteLimit: Int
    ) {
        let cache = VerifiedTokenCache(byteLimit: byteLimit, shards: -1)
        for digest in digests {
            cache.insert(digest, bytes: CacheSamples.record(100, seed: 1))
            _ = cache.record(of: digest)
            cache.remove(digest)
            cache.insert(digest, bytes: [])
        }
        #expect(cache.statistics.bytes <= max(0, byteLimit))
    }

    @Test func `a cache of 64 KiB keeps the longest record`() {
        let cache = cache(64 * 1024)
        for (number, digest) in digests[..<50].enumerated() {
            let record = CacheSamples.record(TokenRecordBytes.mostBytes, seed: UInt64(number))
            cache.insert(digest, bytes: record)
            #expect(cache.record(of: digest) == record)
            #expect(cache.statistics.bytes <= 64 * 1024)
        }
        #expect(cache.statistics.evictions > 0)
    }

    @Test func `an unused cache takes no memory, and a hardly used one takes little`() {
        let cache = cache(256 << 20)
        #expect(cache.statistics.bytes == 0)
        cache.insert(digests[0], bytes: CacheSamples.record(200, seed: 1))
        #expect((1...128 * 1024).contains(cache.statistics.bytes))
    }
}
