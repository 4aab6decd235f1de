import TestSupport
import Testing

@testable import RequestHistory

extension HeavyHitters {
    mutating func add(_ key: Span<UInt8>, _ hash: UInt64) {
        if !addKnown(hash) { addUnknown(key, hash) }
    }
}

struct HeavyHittersTests {
    private static let hash = KeyHash(secret: 0x1234_5678_9ABC_DEF0)

    @Test(arguments: [1, 63, 64, 65, 500, 20_000])
    func `counts are bounded, and every frequent key is listed`(keyCount: Int) {
        var generator = SeededGenerator(seed: UInt64(keyCount))
        for skew in 1...4 {
            var (sketch, truth) = (HeavyHitters(), NaiveCounts())
            for _ in 0..<20_000 {
                let key = NaiveCounts.key(below: keyCount, skew: skew, &generator)
                sketch.add(key.span, Self.hash(key.span))
                truth.add(key)
            }
            truth.expectBounds(of: sketch.summary)
        }
    }

    @Test func `up to 64 keys are counted exactly`() {
        var sketch = HeavyHitters()
        for round in 0..<10 {
            for number in round..<HeavyHitters.capacity {
                let key = Array("subject \(number)".utf8)
                sketch.add(key.span, Self.hash(key.span))
            }
        }
        let entries = sketch.summary.entries
        #expect(entries.count == HeavyHitters.capacity)
        #expect(entries.allSatisfy { $0.error == 0 })
        #expect(entries.first?.count == 10)
        #expect(sketch.summary.unlisted == 1)
    }

    @Test func `a new key takes over the smallest count as its error`() {
        var sketch = HeavyHitters()
        for number in 0..<HeavyHitters.capacity {
            let key = Array("\(number)".utf8)
            for _ in 0...number { sketch.add(key.span, Self.hash(key.span)) }
        }
        let key = Array("new".utf8)
        sketch.add(key.span, Self.hash(key.span))
        #expect(sketch.summary.entries.contains(HeavyHitterSummary.Entry(key: key, count: 2, error: 1)))
        #expect(!sketch.summary.entries.contains { $0.key == Array("0".utf8) })
    }

    @Test func `keys whose hashes share their low bits are told apart`() {
        var sketch = HeavyHitters()
        for _ in 0..<3 {
            for number in UInt64(0)..<4 { sketch.add([UInt8(number)].span, 7 | number << 32) }
        }
        #expect(sketch.summary.entries.map(\.count) == [3, 3, 3, 3])
        #expect(sketch.summary.entries.allSatisfy { $0.error == 0 })
    }

    @Test func `keys that are equal as far as they are kept are listed once`() {
        var sketch = HeavyHitters()
        let long = [UInt8](repeating: 97, count: HeavyHitters.longestKey)
        for (index, key) in [long, long + [1], long + [1], long + [2]].enumerated() {
            sketch.add(key.span, Self.hash(key.span))
            #expect(sketch.summary.entries == [HeavyHitterSummary.Entry(key: long, count: UInt64(index) + 1, error: 0)])
        }
    }

    @Test func `equal keys of different scopes have different hashes`() {
        let key = Array("alice".utf8)
        #expect(Set((0..<100).map { Self.hash(key.span, scope: $0) }).count == 100)
    }

    @Test func `a cleared sketch counts from zero`() {
        var sketch = HeavyHitters()
        for number in 0..<100 {
            let key = Array("\(number)".utf8)
            sketch.add(key.span, Self.hash(key.span))
        }
        sketch.removeAll()
        #expect(sketch.summary == HeavyHitterSummary())
        let key = Array("99".utf8)
        sketch.add(key.span, Self.hash(key.span))
        #expect(sketch.summary.entries == [HeavyHitterSummary.Entry(key: key, count: 1, error: 0)])
    }

    @Test func `keys have different hashes, whatever their length`() {
        var hashes: Set<UInt64> = []
        for length in 0...HeavyHitters.longestKey {
            for last in UInt8(0)...3 {
                var key = [UInt8](repeating: 0, count: length)
                if length > 0 { key[length - 1] = last } else if last > 0 { continue }
                hashes.insert(Self.hash(key.span))
            }
        }
        #expect(hashes.count == 1 + 4 * HeavyHitters.longestKey)
    }
}
