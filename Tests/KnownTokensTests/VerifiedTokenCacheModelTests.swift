import TestSupport
import Testing
import TokenVerification

@testable import JOSE
@testable import KnownTokens

/// The cache compared with a dictionary that forgets nothing: every record that the cache returns was inserted last and
/// is still valid.
@Suite struct VerifiedTokenCacheModelTests {
    private struct Kept {
        let record: [UInt8]
        let until: Double
    }

    /// Digests with few tags and shards, so that searches collide and only the whole digest distinguishes tokens.
    private func crowdedDigests(_ count: Int, using generator: inout SeededGenerator) -> [TokenDigest] {
        (0..<count).map { number in
            TokenDigest(words: [
                UInt64(number % 17) << 27 | generator.next() << 32,
                generator.next() & 0x8000_0000 | UInt64(number) << 40, 0, 0,
            ])
        }
    }

    private func length(using generator: inout SeededGenerator) -> Int {
        generator.once(in: 20)
            ? Int.random(in: 0...TokenRecordBytes.mostBytes, using: &generator)
            : Int.random(in: 0...300, using: &generator)
    }

    @Test(
        arguments: Effort.some([(64 * 1024, 1), (300_000, 2), (2_000_000, 3), (2_000_000, 4)], quick: 1), [false, true])
    func `a lookup returns the last record of its token, and never a removed or expired one`(
        setting: (byteLimit: Int, seed: UInt64), isCrowded: Bool
    ) {
        var generator = SeededGenerator(seed: setting.seed)
        let digests = isCrowded ? crowdedDigests(800, using: &generator) : CacheSamples.digests(800, seed: setting.seed)
        let cache = VerifiedTokenCache(byteLimit: setting.byteLimit)
        var model: [TokenDigest: Kept] = [:]
        var now = 1000.0
        var hits = 0
        for step in 0..<15_000 {
            let digest = digests[Int.random(in: 0..<(generator.once(in: 3) ? digests.count : 60), using: &generator)]
            switch Int.random(in: 0..<100, using: &generator) {
            case 0..<45:
                let kept = Kept(
                    record: CacheSamples.record(length(using: &generator), seed: generator.next()),
                    until: now + Double.random(in: 0...200, using: &generator))
                cache.insert(
                    digest, bytes: kept.record, until: NumericDate(seconds: kept.until), at: NumericDate(seconds: now))
                model[digest] = kept.until > now ? kept : nil
            case 45..<50:
                cache.remove(digest)
                model[digest] = nil
            case 50:
                now += Double.random(in: 0...20, using: &generator)
            default:
                guard let record = cache.record(of: digest, at: NumericDate(seconds: now)) else { continue }
                hits += 1
                #expect(record == model[digest]?.record)
                #expect(model[digest].map { kept in now < kept.until } == true)
            }
            if step % 5000 == 4999, setting.seed == 3 {
                cache.removeAll()
                model = [:]
            }
            if step % 64 == 0 { #expect(cache.statistics.bytes <= setting.byteLimit) }
        }
        #expect(hits > 1000)
        #expect(cache.statistics.entries <= model.count)
    }
}
