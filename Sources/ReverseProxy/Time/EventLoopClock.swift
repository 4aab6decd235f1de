import FoundationEssentials
import NIOCore
import NetworkNames
import TokenVerification

/// Clock of one event loop: a coarse tick count for time-outs, and the wall clock, derived from the monotonic clock.
///
/// The system's wall clock is read only once a tick, so a step of it is noticed within a tick.
struct EventLoopClock {
    /// Number of ticks since the start; deadlines are ticks.
    private(set) var tick: UInt64 = 0
    /// Offset from the monotonic clock to the time since 1970, in nanoseconds.
    private(set) var wallOffset: Int64

    /// Length of a tick: short enough for time-outs of seconds, and rare enough to cost nothing.
    static let tickLength: TimeAmount = .milliseconds(250)

    private var formattedSecond: Int64 = .min
    /// Formatted wall clock: HTTP-date, and the first 19 characters of RFC 3339.
    private var httpDate: [UInt8] = []
    private var timestamp: [UInt8] = []

    init() {
        wallOffset = Self.currentOffset()
    }

    mutating func advance() {
        tick &+= 1
        wallOffset = Self.currentOffset()
    }

    /// First tick that is at least this time from now.
    func tick(after time: TickCount) -> UInt64 {
        tick &+ time.count &+ 1
    }

    /// Monotonic time, in nanoseconds.
    static func now() -> Int64 { Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds) }

    /// Wall clock time at a reading of `now()`.
    func date(at now: Int64) -> NumericDate {
        NumericDate(seconds: Double(now &+ wallOffset) / 1e9)
    }

    /// Value of the `Date` field (RFC 9110 §5.6.7) at a reading of `now()`.
    mutating func httpDate(at now: Int64) -> [UInt8] {
        format((now &+ wallOffset) / 1_000_000_000)
        return httpDate
    }

    /// Appends the time as RFC 3339, in UTC with milliseconds.
    mutating func appendTimestamp(at now: Int64, to bytes: inout [UInt8]) {
        let wall = max(now &+ wallOffset, 0)
        format(wall / 1_000_000_000)
        bytes.append(contentsOf: timestamp)
        bytes.append(UInt8(ascii: "."))
        CivilTime.append(Int(wall / 1_000_000 % 1000), digits: 3, to: &bytes)
        bytes.append(UInt8(ascii: "Z"))
    }

    private mutating func format(_ second: Int64) {
        guard second != formattedSecond else { return }
        formattedSecond = second
        let time = CivilTime(secondsSince1970: second)
        httpDate = time.httpDate
        timestamp = time.timestamp
    }

    private static func currentOffset() -> Int64 {
        nanoseconds(since1970: Date().timeIntervalSince1970) &- now()
    }

    /// Wall clock time in nanoseconds, clamped to the years 1970 to 2261.
    ///
    /// Later times do not fit into 64 bits. The bound leaves a margin for the time until the next reading.
    static func nanoseconds(since1970 seconds: Double) -> Int64 {
        Int64(min(NumericDate(clock: seconds), NumericDate.plausible.upperBound).seconds * 1e9)
    }
}

/// A duration in ticks, rounded up. Computed once, because every request arms several time-outs.
struct TickCount: Hashable {
    let count: UInt64

    init(_ duration: Duration) {
        let seconds = min(max(duration.inSeconds, 0), 1e9)
        count = UInt64((seconds * 1e9 / Double(EventLoopClock.tickLength.nanoseconds)).rounded(.up))
    }
}
