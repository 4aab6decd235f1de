/// Buckets of every histogram of durations.
enum DurationBuckets {
    /// Upper bounds in nanoseconds, from 1 ms to 10 s. A last bucket takes longer durations.
    static let bounds: [Int64] = [
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000,
        2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    /// Upper bounds in seconds, without the last bucket, which has none.
    static var secondBounds: [Double] { bounds.map { Double($0) / 1e9 } }

    static let count = bounds.count + 1

    /// Index of the bucket for a duration in nanoseconds. A bucket includes its upper bound, as in Prometheus.
    static func index(of duration: Int64) -> Int {
        // Most durations are short, so the search begins with the shortest.
        var index = 0
        while index < bounds.count, duration > bounds[index] { index &+= 1 }
        return index
    }
}
