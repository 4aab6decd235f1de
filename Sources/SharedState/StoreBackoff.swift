/// How long the store is left alone after it failed: a tenth of a second, twice as long after each failure, two seconds
/// at most.
struct StoreBackoff {
    private var failures = 0

    private static let shortest = Duration.milliseconds(100)
    private static let longest = Duration.seconds(2)

    mutating func failed() -> Duration {
        defer { failures = min(failures + 1, 10) }
        return min(Self.longest, Self.shortest * (1 << failures))
    }

    mutating func succeeded() { failures = 0 }
}
