import TestSupport
import Testing

@testable import RequestHistory

/// Exact counts of keys, without bound.
struct NaiveCounts {
    private(set) var counts: [[UInt8]: UInt64] = [:]
    var total: UInt64 { counts.values.reduce(0, +) }

    mutating func add(_ key: [UInt8], times: UInt64 = 1) { counts[key, default: 0] += times }

    mutating func add(_ other: NaiveCounts) {
        for (key, count) in other.counts { add(key, times: count) }
    }

    /// A random key. With a larger skew, fewer keys make up more of the stream.
    static func key(below count: Int, skew: Int, _ generator: inout SeededGenerator) -> [UInt8] {
        var number = count
        for _ in 0..<skew { number = Int.random(in: 0..<max(1, number), using: &generator) }
        return Array("subject \(number)".utf8)
    }

    /// Expects all guarantees of a space-saving sketch.
    func expectBounds(of summary: HeavyHitterSummary, sourceLocation: SourceLocation = #_sourceLocation) {
        let entries = summary.entries
        let areBounded = entries.allSatisfy { entry in
            let truth = counts[entry.key] ?? 0
            return entry.error <= entry.count && entry.count - entry.error <= truth && truth <= entry.count
        }
        let listed = Set(entries.map(\.key))
        let missing = counts.filter { !listed.contains($0.key) }
        let threshold = total / UInt64(HeavyHitters.small)
        #expect(summary.total == total, sourceLocation: sourceLocation)
        #expect(entries.count <= HeavyHitters.small, sourceLocation: sourceLocation)
        #expect(listed.count == entries.count, sourceLocation: sourceLocation)
        #expect(areBounded, sourceLocation: sourceLocation)
        #expect(missing.allSatisfy { $0.value <= threshold }, sourceLocation: sourceLocation)
        #expect(missing.allSatisfy { $0.value <= summary.unlisted }, sourceLocation: sourceLocation)
        #expect(summary.unlisted <= threshold, sourceLocation: sourceLocation)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.count >= $1.count }, sourceLocation: sourceLocation)
    }
}
