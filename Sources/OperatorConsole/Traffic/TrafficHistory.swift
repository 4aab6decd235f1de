import MetricFamilies

/// Traffic of the last 15 minutes, in intervals of five seconds. Takes less than 10 KiB.
public struct TrafficHistory: Sendable, Hashable {
    /// Time between two samples.
    public static let interval: Duration = .seconds(5)
    /// Most intervals that are kept.
    public static let mostPoints = 180

    private struct Sample: Hashable {
        let totals: TrafficTotals
        let time: ContinuousClock.Instant
    }

    /// Intervals, oldest first.
    public private(set) var points: [TrafficPoint] = []
    /// Latest sample. Nil until the first one.
    private var latest: Sample?
    /// Upper bounds of the buckets of durations, in seconds.
    private let bounds: [Double]

    public init(bounds: [Double]) {
        self.bounds = bounds
    }

    /// Adds the interval since the sample before. The first sample, and one at the same time, add none.
    public mutating func add(_ totals: TrafficTotals, at now: ContinuousClock.Instant) {
        defer { latest = Sample(totals: totals, time: now) }
        guard let before = latest, before.time < now else { return }
        if points.count >= Self.mostPoints { points.removeFirst(points.count &- Self.mostPoints &+ 1) }
        let seconds = before.time.duration(to: now) / .seconds(1)
        points.append(point(from: before.totals, to: totals, seconds: seconds))
    }

    private func point(from before: TrafficTotals, to after: TrafficTotals, seconds: Double) -> TrafficPoint {
        func rate(_ count: (TrafficTotals) -> UInt64) -> Double { Double(count(after) &- count(before)) / seconds }
        var counts = after.buckets
        for (index, count) in zip(counts.indices, before.buckets) {
            counts[index] &-= count  // in bounds: its own indices
        }
        return TrafficPoint(
            requests: rate(\.requests), clientErrors: rate(\.clientErrors), serverErrors: rate(\.serverErrors),
            median: HistogramQuantile.estimate(0.5, counts: counts, bounds: bounds),
            percentile99: HistogramQuantile.estimate(0.99, counts: counts, bounds: bounds))
    }
}
