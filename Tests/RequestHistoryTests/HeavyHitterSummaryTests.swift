import TestSupport
import Testing

@testable import RequestHistory

struct HeavyHitterSummaryTests {
    private static let hash = KeyHash(secret: 42)

    private static func stream(_ generator: inout SeededGenerator) -> (HeavyHitterSummary, NaiveCounts) {
        var (sketch, truth) = (HeavyHitters(), NaiveCounts())
        let keyCount = generator.pick([3, 64, 100, 3_000])
        let skew = Int.random(in: 1...4, using: &generator)
        for _ in 0..<Int.random(in: 0...5_000, using: &generator) {
            let key = NaiveCounts.key(below: keyCount, skew: skew, &generator)
            sketch.add(key.span, Self.hash(key.span))
            truth.add(key)
        }
        return (sketch.summary, truth)
    }

    @Test func `merging keeps the bounds, one after another and in pairs`() {
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<20 {
            let streams = (0..<8).map { _ in Self.stream(&generator) }
            let truth = streams.reduce(into: NaiveCounts()) { $0.add($1.1) }
            let summaries = streams.map(\.0)
            truth.expectBounds(of: summaries.reduce(HeavyHitterSummary()) { $0.merged(with: $1) })
            let pairs = stride(from: 0, to: 8, by: 2).map { summaries[$0].merged(with: summaries[$0 + 1]) }
            truth.expectBounds(of: pairs[0].merged(with: pairs[1]).merged(with: pairs[2].merged(with: pairs[3])))
        }
    }

    @Test func `the order of two makes no difference`() {
        var generator = SeededGenerator(seed: 6)
        let (one, other) = (Self.stream(&generator).0, Self.stream(&generator).0)
        #expect(one.merged(with: other) == other.merged(with: one))
        #expect(one.merged(with: HeavyHitterSummary()) == one)
    }

    @Test func `a key that one side does not list may have occurred there unlisted`() {
        let one = HeavyHitterSummary([.init(key: [1], count: 10, error: 2)], unlisted: 3, total: 13, capacity: 64)
        let other = HeavyHitterSummary([.init(key: [2], count: 9, error: 0)], unlisted: 4, total: 13, capacity: 64)
        let merged = one.merged(with: other)
        #expect(merged.entries == [.init(key: [1], count: 14, error: 6), .init(key: [2], count: 12, error: 3)])
        #expect(merged.unlisted == 7)
        #expect(merged.total == 26)
    }
}
