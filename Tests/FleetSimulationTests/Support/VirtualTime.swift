import KeySets
import TestSupport
import TokenVerification

/// Both clocks of a fleet in virtual time: nanoseconds since the start, equal on every node.
enum VirtualTime {
    static let second: Int64 = 1_000_000_000
    static let millisecond: Int64 = 1_000_000

    private static let beginning = Moment(instant: .now, date: NumericDate(seconds: TestToken.now))

    static func moment(_ time: Int64) -> Moment {
        Moment(instant: instant(time), date: date(time))
    }

    static func instant(_ time: Int64) -> ContinuousClock.Instant { beginning.instant.advanced(by: .nanoseconds(time)) }

    static func date(_ time: Int64) -> NumericDate {
        NumericDate(seconds: beginning.date.seconds + Double(time) / Double(second))
    }

    /// First nanosecond not before an instant, because a timer is never early.
    static func time(of instant: ContinuousClock.Instant) -> Int64 {
        nanoseconds(beginning.instant.duration(to: instant))
    }

    /// First nanosecond whose date is not before a date; dates are less precise than nanoseconds.
    static func first(at date: NumericDate) -> Int64 {
        let near = Int64((date.seconds - beginning.date.seconds) * Double(second))
        var (before, after) = (near - 10_000, near + 10_000)
        while after - before > 1 {
            let middle = (before + after) / 2
            if Self.date(middle) < date { before = middle } else { after = middle }
        }
        return after
    }

    /// Nanoseconds of a duration, rounded up.
    static func nanoseconds(_ duration: Duration) -> Int64 {
        let (seconds, attoseconds) = duration.components
        return seconds * second + (attoseconds + 999_999_999) / 1_000_000_000
    }
}
