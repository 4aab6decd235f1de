/// Limit for the fetches that untrusted clients cause: a token bucket, refilled by one fetch per interval.
///
/// Clients choose the key IDs of tokens, so fetches are counted per key set, never per key ID. A failed fetch counts
/// too.
public struct FetchAllowance: Sendable, Hashable {
    public let burst: Int
    public let interval: Duration
    private var available: Int
    /// Time of the next refill. Nil if the bucket is full.
    private var refillsAt: ContinuousClock.Instant?
    private var givenBackAt: ContinuousClock.Instant?

    /// Shortest time between two fetches that are given back.
    static let giveBackInterval = Duration.seconds(60)

    public init(burst: Int, interval: Duration) {
        self.burst = max(0, burst)
        self.interval = max(.seconds(1), interval)
        available = self.burst
    }

    /// Takes one fetch from the bucket. False if the bucket is empty.
    public mutating func take(at now: ContinuousClock.Instant) -> Bool {
        refill(at: now)
        guard available > 0 else { return false }
        available -= 1
        refillsAt = refillsAt ?? now.advanced(by: interval)
        return true
    }

    /// Gives back a fetch that found the key it was made for. Does so at most once a minute, because a client may be
    /// able to make an issuer rotate its keys.
    public mutating func giveBack(at now: ContinuousClock.Instant) {
        refill(at: now)
        if let givenBackAt, now < givenBackAt.advanced(by: Self.giveBackInterval) { return }
        guard available < burst else { return }
        givenBackAt = now
        refund(at: now)
    }

    /// Gives back a fetch, however often. Only for fetches whose number is bounded otherwise.
    public mutating func refund(at now: ContinuousClock.Instant) {
        refill(at: now)
        guard available < burst else { return }
        available += 1
        if available == burst { refillsAt = nil }
    }

    /// Time at which a fetch is allowed: now or later. Nil if never.
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
