/// Pause after a failure of the store: 100 milliseconds, doubled with each failure, at most two seconds.
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
