import MetricFamilies
import Synchronization

/// Plain integer counts of one event loop for many series, with one block for each series that has counted.
///
/// A block holds the buckets of a histogram, the sum of its durations, and further counters.
struct CountBlocks {
    /// Block number of each series, from 1. 0 if the series has no block yet.
    private var blocks: [Int32]
    private var counts: [UInt64] = []
    private let counters: Int
    /// The series that have counted since the last hand-over. A resource may have 100,000 rules, of which few count.
    private var pending: [Int] = []
    /// For each block, whether its series is among them.
    private var isPending: [Bool] = []

    /// - Parameter counters: Number of counters besides the histogram.
    init(series: Int, counters: Int) {
        blocks = [Int32](repeating: 0, count: series)
        self.counters = counters
    }

    /// True if nothing was counted since the last hand-over.
    var isEmpty: Bool { pending.isEmpty }

    private var size: Int { DurationBuckets.count &+ 1 &+ counters }

    mutating func addSeries(_ count: Int) {
        blocks.append(contentsOf: repeatElement(0, count: count))
    }

    /// Index in `counts` where the series' block begins; creates the block. Nil if there is no such series.
    private mutating func start(of series: Int) -> Int? {
        guard blocks.indices.contains(series) else { return nil }
        if blocks[series] == 0 {
            counts.append(contentsOf: repeatElement(0, count: size))
            isPending.append(false)
            blocks[series] = Int32(truncatingIfNeeded: isPending.count)
        }
        let block = Int(blocks[series]) &- 1
        if !isPending[block] {
            isPending[block] = true
            pending.append(series)
        }
        return block &* size
    }

    /// Counts a duration in nanoseconds, and adds to one or two counters of the series.
    mutating func add(
        _ duration: Int64, to series: Int, _ first: (counter: Int, by: UInt64),
        _ second: (counter: Int, by: UInt64) = (0, 0)
    ) {
        guard let start = start(of: series) else { return }
        let duration = max(0, duration)
        let sum = start &+ DurationBuckets.count
        // `mutableSpan` checks once that the storage is unique, instead of at every write.
        var counts = counts.mutableSpan
        counts[start &+ DurationBuckets.index(of: duration)] &+= 1
        counts[sum] &+= UInt64(truncatingIfNeeded: duration)
        counts[sum &+ 1 &+ first.counter] &+= first.by
        counts[sum &+ 1 &+ second.counter] &+= second.by
    }

    /// Adds to one counter only.
    mutating func add(_ count: UInt64, to series: Int, counter: Int) {
        guard let start = start(of: series) else { return }
        counts[start &+ DurationBuckets.count &+ 1 &+ counter] &+= count
    }

    /// Passes the counts of each series to the closure, and resets them.
    mutating func handOver(_ take: (_ series: Int, _ block: ArraySlice<UInt64>) -> Void) {
        for series in pending {
            let block = Int(blocks[series]) - 1
            let range = block * size..<(block + 1) * size
            take(series, counts[range])
            for index in range { counts[index] = 0 }
            isPending[block] = false
        }
        pending.removeAll(keepingCapacity: true)
    }
}

/// Counts of one series, summed over all event loops.
struct SeriesSum: Sendable {
    private var counts: [UInt64] = []

    mutating func add(_ block: ArraySlice<UInt64>) {
        guard !counts.isEmpty else { return counts = Array(block) }
        for (index, count) in zip(counts.indices, block) { counts[index] &+= count }
    }

    /// Adds the counts of another sum.
    mutating func add(_ other: SeriesSum) {
        if !other.counts.isEmpty { add(other.counts[...]) }
    }

    /// Counts by histogram bucket, not cumulative.
    var buckets: [UInt64] { Array(counts.prefix(DurationBuckets.count)) }

    var seconds: Double { Double(counts.dropFirst(DurationBuckets.count).first ?? 0) / 1e9 }

    func counter(_ number: Int) -> UInt64 { counts.dropFirst(DurationBuckets.count + 1 + number).first ?? 0 }

    func histogram(_ labels: MetricFamily.Labels) -> [MetricFamily.Sample] {
        .histogram(bounds: DurationBuckets.secondBounds, counts: buckets, sum: seconds, labels)
    }
}

/// Sums of all series of one kind of metric, by their label values.
struct SeriesSums: ~Copyable, Sendable {
    let labels: [StaticString]
    private let sums = Mutex<[[String]: SeriesSum]>([:])

    /// Adds the counts of one event loop, and resets them.
    ///
    /// - Parameters:
    ///   - look: gets the counts of each series too.
    ///   - values: Label values of a series.
    func take(
        _ blocks: inout CountBlocks, look: (_ series: Int, _ block: ArraySlice<UInt64>) -> Void = { _, _ in },
        _ values: (_ series: Int) -> [String]
    ) {
        guard !blocks.isEmpty else { return }
        sums.withLock { sums in
            blocks.handOver { series, block in
                look(series, block)
                sums[values(series), default: SeriesSum()].add(block)
            }
        }
    }

    var all: [[String]: SeriesSum] { sums.withLock { $0 } }

    /// All series, sorted by their label values.
    var sorted: [(labels: MetricFamily.Labels, sum: SeriesSum)] {
        all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { (Array(zip(labels, $0)), $1) }
    }
}
