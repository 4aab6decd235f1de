/// Durations that were counted in ``DurationBuckets``.
public struct DurationHistogram: Sendable, Hashable {
    /// By bucket; each has only its own.
    public private(set) var counts = [UInt64](repeating: 0, count: DurationBuckets.count)
    private var nanoseconds: UInt64 = 0

    public var seconds: Double { Double(nanoseconds) / 1e9 }

    mutating func add(_ duration: Int64) {
        let duration = max(0, duration)
        counts[DurationBuckets.index(of: duration)] &+= 1
        nanoseconds &+= UInt64(truncatingIfNeeded: duration)
    }

    /// Adds the front of a block.
    ///
    /// - Returns: the block's further counters.
    mutating func add(_ block: ArraySlice<UInt64>) -> ArraySlice<UInt64> {
        for (index, count) in zip(counts.indices, block) { counts[index] &+= count }
        let rest = block.dropFirst(DurationBuckets.count)
        nanoseconds &+= rest.first ?? 0
        return rest.dropFirst()
    }
}
