import Synchronization

/// Limit of the requests that are recorded in a second, shared by all event loops.
///
/// Counts by the generic cell rate algorithm: a second's worth may come at once, and then one at a time.
public final class SpanRate: Sendable {
    /// Time between two requests at the full rate, in nanoseconds. Nil if none is permitted.
    private let interval: Int64?
    /// Time until which the rate is used up; monotonic, in nanoseconds.
    private let usedUntil = Atomic<Int64>(.min)

    private static let second: Int64 = 1_000_000_000

    /// - Parameter most: number of requests a second.
    public init(most: Int) {
        interval = most > 0 ? max(1, Self.second / Int64(clamping: most)) : nil
    }

    /// True if one more request may be recorded, which then counts.
    ///
    /// - Parameter now: monotonic, in nanoseconds.
    public func take(at now: Int64) -> Bool {
        guard let interval else { return false }
        var used = usedUntil.load(ordering: .relaxed)
        while true {
            let next = max(used, now &- Self.second) &+ interval
            guard next <= now else { return false }
            let (exchanged, original) = usedUntil.weakCompareExchange(
                expected: used, desired: next, ordering: .relaxed)
            if exchanged { return true }
            used = original
        }
    }
}
