/// How many requests a quota permits: a rate, and how many at once (GCRA, the generic cell rate algorithm).
///
/// Of each caller one time is kept: when, if no more requests come, nothing counts against it any more (its theoretical
/// arrival time). A request moves that time by one interval, and is permitted if it is then no further away than
/// `burst` intervals.
public struct QuotaRate: Sendable, Hashable {
    /// So many requests.
    public let requests: Int
    /// In so long.
    public let period: Duration
    /// So many at once.
    public let burst: Int
    /// Nanoseconds from one request to the next at the full rate, rounded up.
    public let interval: Int64
    /// The furthest that the time of a caller may be away: `burst` intervals, in nanoseconds.
    public let capacity: Int64

    /// The longest time until a caller is at rest, in nanoseconds: a year. A burst that would take longer is cut.
    static let longestCapacity: Int64 = 366 * 86_400 * 1_000_000_000

    /// - Parameters:
    ///   - requests, burst: one is the least.
    ///   - period: a nanosecond is the least.
    public init(requests: Int, period: Duration, burst: Int? = nil) {
        let count = Int64(max(1, requests))
        let nanoseconds = min(max(1, period.wholeNanoseconds), Self.longestCapacity)
        self.requests = max(1, requests)
        self.period = period
        interval = (nanoseconds &- 1) / count &+ 1
        self.burst = max(1, burst ?? requests)
        let (product, overflow) = interval.multipliedReportingOverflow(by: Int64(self.burst))
        capacity = max(interval, overflow ? Self.longestCapacity : min(product, Self.longestCapacity))
    }

    /// The same for one of several processes that cannot ask each other: its part of the rate, and of what is permitted
    /// at once.
    public func part(of processes: Int) -> QuotaRate {
        let processes = max(1, processes)
        return QuotaRate(
            requests: requests, period: period * processes /* no overflow: of a month */,
            burst: max(1, burst / processes))
    }
}

extension QuotaRate {
    /// What one request leads to.
    enum Step: Hashable {
        /// Permitted; the caller's time is then this.
        case permitted(until: Int64)
        /// Permitted after so many nanoseconds, if nothing else counts until then.
        case refused(wait: Int64)
    }

    /// - Parameters:
    ///   - time: the caller's; nil: it is at rest.
    ///   - now: on the same clock.
    func step(from time: Int64?, at now: Int64) -> Step {
        // A time further away is of an earlier rate, or of a clock that went back.
        let start = min(max(time ?? now, now), now &+ capacity)
        let next = start &+ interval
        let excess = next &- now &- capacity
        return excess > 0 ? .refused(wait: excess) : .permitted(until: next)
    }

    /// How many more requests are permitted at once to a caller with this time.
    func remaining(from time: Int64, at now: Int64) -> Int {
        Int(max(0, capacity &- max(0, time &- now)) / interval)
    }
}

extension Duration {
    /// What is beyond an Int64 counts as the nearest.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
