import TestSupport
import Testing

@testable import RequestHistory

extension HeavyHitters {
    static let small = 64

    init() { self.init(capacity: Self.small) }

    mutating func add(_ key: Span<UInt8>, _ hash: UInt64) {
        let none: [UInt8] = []
        if !addKnown(hash) { addUnknown(none.span, key, hash) }
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
            for number in round..<HeavyHitters.small {
                let key = Array("subject \(number)".utf8)
                sketch.add(key.span, Self.hash(key.span))
            }
        }
        let entries = sketch.summary.entries
        #expect(entries.count == HeavyHitters.small)
        #expect(entries.allSatisfy { $0.error == 0 })
        #expect(entries.first?.count == 10)
        #expect(sketch.summary.unlisted == 1)
    }

    @Test func `a new key takes over the smallest count as its error`() {
        var sketch = HeavyHitters()
        for number in 0..<HeavyHitters.small {
            let key = Array("\(number)".utf8)
            for _ in 0...number { sketch.add(key.span, Self.hash(key.span)) }
        }
        let key = Array("new".utf8)
        sketch.add(key.span, Self.hash(key.span))
        #expect(sketch.summary.entries.contains(HeavyHitterSummary.Entry(key: key, count: 2, error: 1)))
        #expect(!sketch.summary.entries.contains { $0.key == Array("0".utf8) })
    }

    @Test(arguments: [1, 64, 256])
    func `a sketch has the entries that a list has, whatever hashes collide in its table`(capacity: Int) {
        var generator = SeededGenerator(seed: UInt64(capacity))
        var sketch = HeavyHitters(capacity: capacity)
        var list: [(key: UInt64, count: UInt64)] = []
        for _ in 0..<20_000 {
            // Few low bits, so that many keys begin in the same slot, also at the end of the table.
            let key =
                UInt64.random(in: 0..<3, using: &generator) &- 1
                | UInt64.random(in: 1..<UInt64(3 * capacity), using: &generator) << 40
            let known = list.firstIndex { $0.key == key }
            let isKnown = sketch.addKnown(key)
            #expect(isKnown == (known != nil))
            if let known { list[known].count += 1 }
            guard !isKnown else { continue }
            let smallest = list.map(\.count).min() ?? 0
            let text = (0..<8).map { UInt8(truncatingIfNeeded: key >> (8 * UInt64($0))) }
            let (prefix, rest) = (text[..<3], text[3...])
            sketch.addUnknown(prefix.span, rest.span, key)
            let entries = sketch.summary.entries
            // Which of the smallest is replaced, the sketch may choose.
            let keys = Set(entries.map { $0.key.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) } })
            let gone = list.indices.filter { !keys.contains(list[$0].key) }
            #expect(gone.count == (list.count == capacity ? 1 : 0))
            for index in gone { #expect(list.remove(at: index).count == smallest) }
            list.append((key, (gone.isEmpty ? 0 : smallest) + 1))
            #expect(entries.map(\.count) == list.map(\.count).sorted(by: >))
        }
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
        #expect(sketch.summary == HeavyHitters().summary)
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
