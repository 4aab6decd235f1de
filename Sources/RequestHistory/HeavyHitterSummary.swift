/// Keys that occurred most often in one or several streams, with the bounds of their counts.
///
/// Summaries can be merged in any order; the bounds hold for the merged streams (Agarwal et al., "Mergeable
/// summaries", 2012). Each key that occurred more often than ``total`` divided by the capacity is listed.
public struct HeavyHitterSummary: Sendable, Hashable {
    public struct Entry: Sendable, Hashable {
        /// The key, cut at ``HeavyHitters/longestKey``.
        public let key: [UInt8]
        /// Largest number of times that the key can have occurred.
        public let count: UInt64
        /// Difference between `count` and the smallest number of times that the key can have occurred.
        public let error: UInt64

        public init(key: [UInt8], count: UInt64, error: UInt64) {
            (self.key, self.count, self.error) = (key, count, error)
        }
    }

    /// As many entries as a sketch has at most, largest count first.
    public let entries: [Entry]
    /// Largest number of times that a key which is not listed can have occurred.
    public let unlisted: UInt64
    /// Number of times that keys occurred in all.
    public let total: UInt64
    /// Most entries: those of the largest sketch that was merged.
    private let capacity: Int

    /// Summary of an empty stream.
    public init() {
        self.init([], unlisted: 0, total: 0, capacity: 0)
    }

    init(_ entries: [Entry], unlisted: UInt64, total: UInt64, capacity: Int) {
        // Keys with equal counts have a fixed order, so that a page that is read again shows them alike.
        self.entries = entries.sorted {
            $0.count == $1.count ? $0.key.lexicographicallyPrecedes($1.key) : $0.count > $1.count
        }
        (self.unlisted, self.total, self.capacity) = (unlisted, total, capacity)
    }

    /// Summary of both streams together.
    public func merged(with other: HeavyHitterSummary) -> HeavyHitterSummary {
        var sums: [[UInt8]: (count: UInt64, error: UInt64)] = [:]
        for entry in entries { sums[entry.key] = (entry.count &+ other.unlisted, entry.error &+ other.unlisted) }
        for entry in other.entries {
            // It may have occurred in this stream as often as a key that is not listed can have.
            let own = sums[entry.key].map { ($0.count &- other.unlisted, $0.error &- other.unlisted) }
            let (count, error) = own ?? (unlisted, unlisted)
            sums[entry.key] = (count &+ entry.count, error &+ entry.error)
        }
        let all = HeavyHitterSummary(
            sums.map { Entry(key: $0.key, count: $0.value.count, error: $0.value.error) },
            unlisted: unlisted &+ other.unlisted, total: total &+ other.total,
            capacity: max(capacity, other.capacity))
        return all.cut
    }

    /// The same with at most `capacity` entries.
    private var cut: HeavyHitterSummary {
        guard entries.count > capacity else { return self }
        // The largest entry that is left out is now a bound for the keys that are not listed.
        return HeavyHitterSummary(
            Array(entries.prefix(capacity)), unlisted: max(unlisted, entries[capacity].count), total: total,
            capacity: capacity)
    }
}
