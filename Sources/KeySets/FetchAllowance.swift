/// How many fetches strangers may cause: some are saved up, and one comes back per interval.
///
/// Whoever sends tokens chooses their key IDs, so this counts per key set and never per key ID, and a fetch that fails has been used too.
public struct FetchAllowance: Sendable, Hashable {
    public let burst: Int
    public let interval: Duration
    private var available: Int
    /// When the next one comes back; nil while all are saved up.
    private var refillsAt: ContinuousClock.Instant?

    public init(burst: Int, interval: Duration) {
        self.burst = max(0, burst)
        self.interval = max(.seconds(1), interval)
        available = self.burst
    }

    /// Uses one fetch if there is one.
    public mutating func take(at now: ContinuousClock.Instant) -> Bool {
        refill(at: now)
        guard available > 0 else { return false }
        available -= 1
        refillsAt = refillsAt ?? now.advanced(by: interval)
        return true
    }

    /// When one can be taken: now, or an instant to come; nil: never.
    public func nextFetch(at now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        guard burst > 0 else { return nil }
        guard available == 0, let refillsAt, refillsAt > now else { return now }
        return refillsAt
    }

    private mutating func refill(at now: ContinuousClock.Instant) {
        while let next = refillsAt, next <= now {
            available += 1
            refillsAt = available < burst ? next.advanced(by: interval) : nil
        }
    }
}
