import MetricFamilies
import Synchronization

/// Plain integers of one event loop, for many series: a block each, made when the series first has something to count.
///
/// A block has the buckets of a histogram, the sum of its durations, and further counters.
struct CountBlocks {
    /// Of each series, the number of its block, from 1; 0: it has none yet.
    private var blocks: [Int32]
    private var counts: [UInt64] = []
    private let counters: Int
    /// Whether anything was counted since the last hand-over.
    private(set) var isEmpty = true

    /// - Parameter counters: how many counters there are besides the histogram.
    init(series: Int, counters: Int) {
        blocks = [Int32](repeating: 0, count: series)
        self.counters = counters
    }

    private var size: Int { DurationBuckets.count &+ 1 &+ counters }

    mutating func addSeries(_ count: Int) {
        blocks.append(contentsOf: repeatElement(0, count: count))
    }

    /// Where a series' block begins; nil if there is no such series.
    private mutating func start(of series: Int) -> Int? {
        guard blocks.indices.contains(series) else { return nil }
        isEmpty = false
        if blocks[series] == 0 {
            counts.append(contentsOf: repeatElement(0, count: size))
            blocks[series] = Int32(truncatingIfNeeded: counts.count / size)
        }
        return (Int(blocks[series]) &- 1) &* size
    }

    /// Counts a duration in nanoseconds, and what goes with it.
    mutating func add(
        _ duration: Int64, to series: Int, _ first: (counter: Int, by: UInt64),
        _ second: (counter: Int, by: UInt64) = (0, 0)
    ) {
        guard let start = start(of: series) else { return }
        let duration = max(0, duration)
        let sum = start &+ DurationBuckets.count
        // One look at whose storage it is, for all of them.
        var counts = counts.mutableSpan
        counts[start &+ DurationBuckets.index(of: duration)] &+= 1
        counts[sum] &+= UInt64(truncatingIfNeeded: duration)
        counts[sum &+ 1 &+ first.counter] &+= first.by
        counts[sum &+ 1 &+ second.counter] &+= second.by
    }

    /// Counts in one counter alone.
    mutating func add(_ count: UInt64, to series: Int, counter: Int) {
        guard let start = start(of: series) else { return }
        counts[start &+ DurationBuckets.count &+ 1 &+ counter] &+= count
    }

    /// Passes on what was counted of each series, and begins anew.
    mutating func handOver(_ take: (_ series: Int, _ block: ArraySlice<UInt64>) -> Void) {
        for (series, block) in blocks.enumerated() where block != 0 {
            let range = (Int(block) - 1) * size..<Int(block) * size
            guard counts[range].contains(where: { $0 != 0 }) else { continue }
            take(series, counts[range])
            for index in range { counts[index] = 0 }
        }
        isEmpty = true
    }
}

/// Sum of the blocks of one series over all event loops.
struct SeriesSum: Sendable {
    private var counts: [UInt64] = []

    mutating func add(_ block: ArraySlice<UInt64>) {
        guard !counts.isEmpty else { return counts = Array(block) }
        for (index, count) in zip(counts.indices, block) { counts[index] &+= count }
    }

    /// Counts by bucket; each has only its own.
    var buckets: [UInt64] { Array(counts.prefix(DurationBuckets.count)) }

    var seconds: Double { Double(counts.dropFirst(DurationBuckets.count).first ?? 0) / 1e9 }

    func counter(_ number: Int) -> UInt64 { counts.dropFirst(DurationBuckets.count + 1 + number).first ?? 0 }

    func histogram(_ labels: MetricFamily.Labels) -> [MetricFamily.Sample] {
        .histogram(bounds: DurationBuckets.secondBounds, counts: buckets, sum: seconds, labels)
    }
}

/// Sums of all series of one subject, by the values of their labels.
struct SeriesSums: ~Copyable, Sendable {
    let labels: [StaticString]
    private let sums = Mutex<[[String]: SeriesSum]>([:])

    /// Adds what one event loop has counted, and has it begin anew.
    ///
    /// - Parameter values: of the labels of a series.
    func take(_ blocks: inout CountBlocks, _ values: (_ series: Int) -> [String]) {
        guard !blocks.isEmpty else { return }
        sums.withLock { sums in
            blocks.handOver { series, block in sums[values(series), default: SeriesSum()].add(block) }
        }
    }

    var all: [[String]: SeriesSum] { sums.withLock { $0 } }

    /// All series by the values of their labels, in order.
    var sorted: [(labels: MetricFamily.Labels, sum: SeriesSum)] {
        all.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { (Array(zip(labels, $0)), $1) }
    }
}
