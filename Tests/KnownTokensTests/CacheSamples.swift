import KnownTokens
import TestSupport
import TokenVerification

@testable import JOSE

/// Digests, records and times for the tests of the cache.
enum CacheSamples {
    static let now = NumericDate(seconds: 1_700_000_000)
    static let later = NumericDate(seconds: 1_700_003_600)

    /// A digest like any other: every word is random.
    static func digest(using generator: inout SeededGenerator) -> TokenDigest {
        TokenDigest(words: [generator.next(), generator.next(), generator.next(), generator.next()])
    }

    static func digests(_ count: Int, seed: UInt64) -> [TokenDigest] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in digest(using: &generator) }
    }

    static func record(_ count: Int, seed: UInt64) -> [UInt8] {
        (0..<count).map { index in UInt8(truncatingIfNeeded: seed &+ UInt64(index) &* 7) }
    }
}

// The expectation macros take no spans and no inout values.
extension VerifiedTokenCache {
    func insert(
        _ digest: TokenDigest, bytes: [UInt8], until: NumericDate = CacheSamples.later,
        at now: NumericDate = CacheSamples.now
    ) {
        insert(digest, record: bytes.span, until: until, at: now)
    }

    /// The record of a token. Nil if there is none.
    func record(of digest: TokenDigest, at now: NumericDate = CacheSamples.now) -> [UInt8]? {
        var record = TokenRecordBytes()
        return lookup(digest, at: now, into: &record) ? record.bytes : nil
    }
}
