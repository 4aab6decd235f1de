import TestSupport
import Testing
import TokenVerification

@testable import JOSE
@testable import KnownTokens

@Suite struct VerifiedTokenCacheAdmissionTests {
    private let record = CacheSamples.record(24, seed: 1)
    private let long = CacheSamples.record(200, seed: 1)

    /// One shard, large enough for about 980 of the long records.
    private func small() -> VerifiedTokenCache { VerifiedTokenCache(byteLimit: 256 * 1024) }

    private func kept(_ digests: [TokenDigest], in cache: VerifiedTokenCache, at now: NumericDate = CacheSamples.now)
        -> Int
    {
        var record = TokenRecordBytes()
        return digests.reduce(0) { count, digest in cache.lookup(digest, at: now, into: &record) ? count + 1 : count }
    }

    @Test(.slow) func `a million tokens seen once evict hardly any of ten thousand used ones (T383)`() {
        let byteLimit = 16 << 20
        let cache = VerifiedTokenCache(byteLimit: byteLimit)
        var generator = SeededGenerator(seed: 7)
        let hot = CacheSamples.digests(10_000, seed: 8)
        // The flood comes first, so used tokens must displace it.
        for _ in 0..<400_000 { cache.insert(CacheSamples.digest(using: &generator), bytes: record) }
        for digest in hot { cache.insert(digest, bytes: record) }
        for number in 0..<600_000 {
            if number % 15_000 == 0 { _ = kept(hot, in: cache) }
            cache.insert(CacheSamples.digest(using: &generator), bytes: record)
        }
        #expect(kept(hot, in: cache) >= 9900)
        let statistics = cache.statistics
        #expect(statistics.bytes <= byteLimit)
        #expect(statistics.insertions == 1_010_000)
        // The flood was larger than the cache.
        #expect(statistics.evictions > 700_000)
    }

    @Test(.slow) func `tokens with records of 200 bytes fit as densely as a million into 300 MiB`() {
        let byteLimit = (300 << 20) / 10
        let cache = VerifiedTokenCache(byteLimit: byteLimit)
        var generator = SeededGenerator(seed: 9)
        for _ in 0..<100_000 { cache.insert(CacheSamples.digest(using: &generator), bytes: long) }
        let statistics = cache.statistics
        #expect(statistics.entries == 100_000)
        #expect(statistics.evictions == 0)
        #expect(statistics.bytes <= byteLimit)
    }

    @Test func `free space is used for tokens that were not used, up to the limit`() {
        let cache = small()
        let digests = CacheSamples.digests(5000, seed: 10)
        for digest in digests[..<900] { cache.insert(digest, bytes: long) }
        #expect(cache.statistics.entries == 900)
        #expect(cache.statistics.evictions == 0)
        for digest in digests[900...] { cache.insert(digest, bytes: long) }
        #expect(cache.statistics.evictions == 5000 - UInt64(cache.statistics.entries))
        // The first tokens had the space, and no used token displaced them.
        #expect(kept(Array(digests[..<800]), in: cache) == 800)
    }

    @Test func `expired tokens are evicted for new ones, whether bytes or slots ran out`() {
        for (bytes, count) in [(long, 500), ([], 1500)] {
            let cache = small()
            let digests = CacheSamples.digests(5000 + count, seed: 11)
            for digest in digests[..<5000] { cache.insert(digest, bytes: bytes) }
            let evictions = cache.statistics.evictions
            #expect(evictions > 0)
            let end = CacheSamples.later + .seconds(60)
            for digest in digests[5000...] { cache.insert(digest, bytes: bytes, until: end, at: CacheSamples.later) }
            #expect(kept(Array(digests[5000...]), in: cache, at: CacheSamples.later) == count)
            #expect(cache.statistics.evictions == evictions)
        }
    }

    @Test func `if every record is in use, new ones are dropped until others were unused long enough`() {
        let cache = small()
        let digests = CacheSamples.digests(2500, seed: 12)
        for digest in digests[..<950] { cache.insert(digest, bytes: long) }
        for _ in 0..<4 { #expect(kept(Array(digests[..<950]), in: cache) == 950) }
        // Each new token is used, so it competes for the main ring, where all have been used three times.
        for digest in digests[950..<970] {
            cache.insert(digest, bytes: long)
            #expect(kept([digest], in: cache) == 1)
        }
        #expect(kept(Array(digests[..<850]), in: cache) == 850)
        for digest in digests[970...] {
            cache.insert(digest, bytes: long)
            #expect(kept([digest], in: cache) == 1)
        }
        #expect(kept(Array(digests[970...]), in: cache) > 500)
    }

    @Test func `a record replaced by one of another size keeps its standing`() {
        let cache = small()
        let digests = CacheSamples.digests(6000, seed: 13)
        for digest in digests[..<3000] { cache.insert(digest, bytes: long) }
        cache.insert(digests[3000], bytes: long)
        #expect(kept([digests[3000]], in: cache) == 1)
        cache.insert(digests[3000], bytes: long + record)
        for digest in digests[3001...] { cache.insert(digest, bytes: long) }
        #expect(cache.record(of: digests[3000]) == long + record)
        #expect(kept([digests[2999]], in: cache) == 0)
    }

    @Test func `the index limits the number of empty records, and used ones stay`() {
        let byteLimit = 256 * 1024
        let cache = VerifiedTokenCache(byteLimit: byteLimit)
        let layout = TokenCacheLayout(byteLimit: byteLimit, shards: 16)
        let digests = CacheSamples.digests(20_000, seed: 14)
        for digest in digests[..<100] { cache.insert(digest, bytes: []) }
        for (number, digest) in digests[100...].enumerated() {
            if number % 100 == 0 { _ = kept(Array(digests[..<100]), in: cache) }
            cache.insert(digest, bytes: [])
        }
        let most = layout.mostSlots * 3 / 4
        #expect((most - 64...most).contains(cache.statistics.entries))
        #expect(kept(Array(digests[..<100]), in: cache) == 100)
        #expect(cache.statistics.bytes <= byteLimit)
    }

    @Test func `four threads that write and read the same tokens never see a torn record (T388)`() async {
        let cache = VerifiedTokenCache(byteLimit: 512 * 1024, shards: 2)
        let digests = CacheSamples.digests(400, seed: 15)
        let hits = await withTaskGroup(of: (hits: Int, broken: Int).self) { group in
            for seed in 0..<4 { group.addTask { Self.writeAndRead(cache, digests, seed: UInt64(seed)) } }
            return await group.reduce(into: (hits: 0, broken: 0)) { sum, part in
                sum = (sum.hits + part.hits, sum.broken + part.broken)
            }
        }
        #expect(hits.broken == 0)
        #expect(hits.hits > 1000)
        #expect(cache.statistics.hits == UInt64(hits.hits))
        #expect(cache.statistics.bytes <= 512 * 1024)
    }

    /// Writes and reads records that name their token and end with a checksum.
    private static func writeAndRead(_ cache: VerifiedTokenCache, _ digests: [TokenDigest], seed: UInt64) -> (
        hits: Int, broken: Int
    ) {
        var generator = SeededGenerator(seed: seed)
        var found = TokenRecordBytes(reservingCapacity: ())
        var (hits, broken) = (0, 0)
        for _ in 0..<8000 {
            let number = Int.random(in: 0..<digests.count, using: &generator)
            if generator.once(in: 3) {
                let count = generator.once(in: 2) ? 100 : Int.random(in: 1...2000, using: &generator)
                var record = CacheSamples.record(count, seed: generator.next())
                record[0] = UInt8(truncatingIfNeeded: number)
                record.append(record.reduce(0, &+))
                cache.insert(digests[number], bytes: record)
            } else if cache.lookup(digests[number], at: CacheSamples.now, into: &found) {
                hits += 1
                let isWhole =
                    found.bytes.first == UInt8(truncatingIfNeeded: number)
                    && found.bytes.dropLast().reduce(0, &+) == found.bytes.last
                if !isWhole { broken += 1 }
            }
        }
        return (hits, broken)
    }
}
