import TestSupport
import Testing

@testable import RequestHistory

extension HeavyHitterWindow {
    private static let hash = KeyHash(secret: 1)

    mutating func add(_ key: Span<UInt8>, times: UInt64 = 1, at now: Int64) {
        let hash = Self.hash(key)
        let none: [UInt8] = []
        if !addKnown(hash, times: times, at: now) { addUnknown(none.span, key, hash, times: times) }
    }
}

struct HeavyHitterWindowTests {
    private static let minute = HeavyHitterWindow.Size.minutes.sliceLength

    @Test func `a minute is dropped when four others and a new one came after it`() {
        var window = HeavyHitterWindow()
        let key = Array("alice".utf8)
        for number in 0..<5 { window.add(key.span, at: 100 + Int64(number) * Self.minute) }
        #expect(window.summary.entries.map(\.count) == [5])
        window.advance(to: 99 + 5 * Self.minute)
        #expect(window.summary.entries.map(\.count) == [5])
        window.advance(to: 100 + 5 * Self.minute)
        #expect(window.summary.entries.map(\.count) == [4])
        #expect(window.length(at: 100 + 5 * Self.minute) == 4 * Self.minute)
        window.advance(to: 100 + 9 * Self.minute)
        #expect(window.summary == HeavyHitters().summary)
    }

    @Test func `after a long pause nothing is left`() {
        var window = HeavyHitterWindow()
        let key = Array("alice".utf8)
        window.add(key.span, at: 0)
        window.add(key.span, at: 1_000_000 * Self.minute)
        #expect(window.summary.entries.map(\.count) == [1])
        #expect(window.length(at: 1_000_000 * Self.minute) <= 5 * Self.minute)
    }

    @Test func `a time that runs backwards counts for the current minute`() {
        var window = HeavyHitterWindow()
        let key = Array("alice".utf8)
        window.add(key.span, at: 3 * Self.minute)
        window.add(key.span, at: 0)
        #expect(window.summary.entries.map(\.count) == [2])
    }

    @Test func `a window has what a list of all times has`() {
        var generator = SeededGenerator(seed: 3)
        var window = HeavyHitterWindow()
        var (times, now): ([(key: [UInt8], time: Int64)], Int64) = ([], 0)
        for _ in 0..<3_000 {
            now += Int64.random(in: 0...Self.minute / 10, using: &generator)
            if generator.once(in: 200) { now += 3 * Self.minute }
            let key = NaiveCounts.key(below: 300, skew: 3, &generator)
            let count = UInt64.random(in: 1...3, using: &generator)
            window.add(key.span, times: count, at: now)
            for _ in 0..<count { times.append((key, now)) }
            guard generator.once(in: 50) else { continue }
            // The first key came at `first`, and slices begin a whole number of minutes after it.
            let first = times[0].time
            let oldest = first + ((now - first) / Self.minute - 4) * Self.minute
            var truth = NaiveCounts()
            for entry in times where entry.time >= oldest { truth.add(entry.key) }
            truth.expectBounds(of: window.summary)
        }
    }

    @Test func `keys count by their first 128 bytes`() {
        var window = HeavyHitterWindow()
        let long = [UInt8](repeating: 97, count: HeavyHitters.longestKey)
        for key in [long, long + [1], long + [2], Array(long.dropLast())] { window.add(key.span, at: 0) }
        #expect(window.summary.entries.map(\.count) == [3, 1])
        #expect(window.summary.entries.first?.key == long)
    }

    @Test func `a copy does not change with its original`() {
        var window = HeavyHitterWindow()
        let key = Array("alice".utf8)
        window.add(key.span, at: 0)
        let copy = window
        window.add(key.span, at: 0)
        #expect(copy.summary.entries.map(\.count) == [1])
    }

    @Test func `the memory of a window is as stated`() {
        #expect(HeavyHitterWindow().byteCount == 53_760)
        #expect(HeavyHitterWindow(.hour).byteCount == 258_048)
    }
}
