/// The buckets of every histogram of durations.
enum DurationBuckets {
    /// Upper bounds in nanoseconds, from 1 ms to 10 s; a last bucket takes the rest.
    static let bounds: [Int64] = [
        1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000, 250_000_000, 500_000_000,
        1_000_000_000,
        2_500_000_000, 5_000_000_000, 10_000_000_000,
    ]

    /// Upper bounds in seconds, without the last bucket's.
    static var secondBounds: [Double] { bounds.map { Double($0) / 1e9 } }

    static let count = bounds.count + 1

    /// The bucket of a duration in nanoseconds: a bound belongs to the bucket below it, as Prometheus has it.
    static func index(of duration: Int64) -> Int {
        // Most durations are short, so the search begins with the shortest.
        var index = 0
        while index < bounds.count, duration > bounds[index] { index &+= 1 }
        return index
    }
}
