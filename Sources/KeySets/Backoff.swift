/// Delay after failed attempts: doubles from one second up to a minute, and is spread by jitter.
public struct Backoff: Sendable, Hashable {
    public var base: Duration = .seconds(1)
    public var limit: Duration = .seconds(60)

    public init() {}

    /// Delay after a number of consecutive failures. A `jitter` in 0..<1 spreads it by a tenth to either side, but
    /// never beyond the limit.
    public func delay(afterFailures failures: Int, jitter: Double) -> Duration {
        var delay = base
        var left = failures - 1
        while left > 0, delay < limit {
            delay += delay
            left -= 1
        }
        return min(limit, min(limit, delay).spread(byTenthAt: jitter))
    }
}

extension Duration {
    /// The duration times a factor from 0.9 (jitter 0) up to 1.1 (jitter 1).
    func spread(byTenthAt jitter: Double) -> Duration {
        self * (0.9 + 0.2 * min(1, max(0, jitter)))
    }
}
