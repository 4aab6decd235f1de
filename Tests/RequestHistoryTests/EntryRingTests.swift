import TestSupport
import Testing

@testable import RequestHistory

extension EntryRing {
    fileprivate mutating func append(_ entry: ArraySlice<UInt8>, at time: Int64) { append(entry.span, at: time) }
}

struct EntryRingTests {
    /// All entries in an array, of which the oldest are removed.
    private struct NaiveRing {
        let capacity: Int
        private(set) var entries: [EntryRing.Entry] = []
        private(set) var appended: UInt64 = 0
        private(set) var leftOut: UInt64 = 0

        init(capacity: Int) { self.capacity = capacity }

        /// Whole words of eight bytes.
        private static func size(_ bytes: [UInt8]) -> Int { EntryRing.headerLength + (bytes.count + 7) / 8 * 8 }

        mutating func append(_ bytes: [UInt8], at time: Int64) {
            guard bytes.count <= EntryRing.longestEntry, Self.size(bytes) <= capacity / 8 * 8 else {
                leftOut += 1
                return
            }
            entries.append(EntryRing.Entry(number: appended, time: time, bytes: bytes))
            appended += 1
            while entries.reduce(0, { $0 + Self.size($1.bytes) }) > capacity / 8 * 8 {
                entries.removeFirst()
            }
        }
    }

    @Test(arguments: [0, 23, 24, 25, 32, 45, 100, 1_000, 40_000])
    func `a ring has what a list has`(capacity: Int) {
        var generator = SeededGenerator(seed: UInt64(capacity))
        var (ring, naive) = (EntryRing(capacity: capacity), NaiveRing(capacity: capacity))
        for number in 0..<200 {
            let longest = generator.pick([0, 1, 30, capacity, EntryRing.longestEntry + 1])
            let length = Int.random(in: 0...longest, using: &generator)
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 + number) }
            let time = Int64.random(in: Int64.min...Int64.max, using: &generator)
            ring.append(bytes[...], at: time)
            naive.append(bytes, at: time)
            #expect(ring.newestFirst == naive.entries.reversed())
            #expect(ring.count == naive.entries.count)
            #expect((ring.appended, ring.leftOut) == (naive.appended, naive.leftOut))
        }
    }

    /// Sizes in words to which the buffer does not double: it ends just below them, where a long entry needs more.
    @Test(arguments: [2_049, 4_095, 4_097, 4_128, 5_000, 8_322], [3_000, 10_000, EntryRing.longestEntry])
    func `a ring whose buffer does not double up to its capacity has what a list has`(words: Int, longest: Int) {
        var generator = SeededGenerator(seed: UInt64(words))
        for short in [1, 40, 400] {
            let capacity = words * 8
            var (ring, naive) = (EntryRing(capacity: capacity), NaiveRing(capacity: capacity))
            for number in 0..<400 {
                // Short ones fill the buffer nearly, and a long one follows.
                let length = generator.once(in: 20) ? longest : short
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
                ring.append(bytes[...], at: Int64(number))
                naive.append(bytes, at: Int64(number))
                #expect(ring.newestFirst == naive.entries.reversed())
            }
        }
    }

    @Test func `an entry of the longest size is kept, and a longer one is left out and counted`() {
        var ring = EntryRing(capacity: 1024 * 1024)
        ring.append([UInt8](repeating: 1, count: EntryRing.longestEntry)[...], at: 1)
        ring.append([UInt8](repeating: 2, count: EntryRing.longestEntry + 1)[...], at: 2)
        #expect(ring.newestFirst.map(\.time) == [1])
        #expect(ring.leftOut == 1)
    }

    @Test func `entries that fill the ring exactly stay`() {
        var ring = EntryRing(capacity: 3 * (EntryRing.headerLength + 16))
        for time in Int64(0)..<10 {
            ring.append([UInt8](repeating: UInt8(time), count: 10)[...], at: time)
            #expect(ring.newestFirst.map(\.time) == Array((max(0, time - 2)...time).reversed()))
        }
    }

    @Test func `a copy does not change with its original`() {
        var ring = EntryRing(capacity: 100)
        ring.append([1], at: 1)
        let copy = ring
        for time in Int64(2)..<20 { ring.append([2, 3], at: time) }
        #expect(copy.newestFirst == [EntryRing.Entry(number: 0, time: 1, bytes: [1])])
    }
}
