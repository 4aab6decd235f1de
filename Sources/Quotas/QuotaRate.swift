/// Rate of requests that a quota permits, with a burst size (GCRA, the generic cell rate algorithm).
///
/// One time is stored for each caller: its theoretical arrival time, at which the whole burst is available again if no
/// more requests come. A request moves that time by one interval. It is permitted if the time is then at most `burst`
/// intervals ahead.
public struct QuotaRate: Sendable, Hashable {
    /// Number of requests permitted in each period.
    public let requests: Int
    /// Length of the period.
    public let period: Duration
    /// Number of requests permitted at once.
    public let burst: Int
    /// Nanoseconds from one request to the next at the full rate, rounded up.
    public let interval: Int64
    /// Longest distance of a caller's time from now: `burst` intervals, in nanoseconds.
    public let capacity: Int64

    /// Upper bound of `capacity`, in nanoseconds: a year. A burst that would take longer to refill is cut.
    static let longestCapacity: Int64 = 366 * 86_400 * 1_000_000_000

    /// - Parameters:
    ///   - requests, burst: at least one.
    ///   - period: at least a nanosecond.
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

    /// Share of the rate and the burst for one of several processes that cannot communicate.
    public func part(of processes: Int) -> QuotaRate {
        let processes = max(1, processes)
        return QuotaRate(
            requests: requests, period: period * processes /* no overflow: of a month */,
            burst: max(1, burst / processes))
    }
}

extension QuotaRate {
    /// Result of one request.
    enum Step: Hashable {
        /// The request is permitted, and this is the caller's new time.
        case permitted(until: Int64)
        /// The request would be permitted after this many nanoseconds, if none is counted until then.
        case refused(wait: Int64)
    }

    /// - Parameters:
    ///   - time: the caller's stored time. Nil if the caller has its whole burst left.
    ///   - now: the current time on the same clock.
    func step(from time: Int64?, at now: Int64) -> Step {
        // A time further ahead comes from an earlier rate, or from a clock that went back.
        let start = min(max(time ?? now, now), now &+ capacity)
        let next = start &+ interval
        let excess = next &- now &- capacity
        return excess > 0 ? .refused(wait: excess) : .permitted(until: next)
    }

    /// Number of requests permitted at once to a caller with this time.
    func remaining(from time: Int64, at now: Int64) -> Int {
        Int(max(0, capacity &- max(0, time &- now)) / interval)
    }
}

extension Duration {
    /// Nanoseconds of the duration, clamped to the range of Int64.
    var wholeNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return seconds < 0 ? .min : .max }
        let (sum, isBeyond) = product.addingReportingOverflow(attoseconds / 1_000_000_000)
        return isBeyond ? (seconds < 0 ? .min : .max) : sum
    }
}
