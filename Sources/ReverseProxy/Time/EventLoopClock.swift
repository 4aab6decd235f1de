import FoundationEssentials
import NIOCore
import NetworkNames
import TokenVerification

/// The times of one event loop: a coarse count for time-outs, and the wall clock derived from the monotonic one.
///
/// The wall clock itself is read once a tick. A step of it is therefore seen within a tick.
struct EventLoopClock {
    /// How many ticks the loop has counted; time-outs are kept in ticks.
    private(set) var tick: UInt64 = 0
    /// What to add to the monotonic clock to get the time since 1970, in nanoseconds.
    private var wallOffset: Int64

    /// A few times a second is enough for time-outs of seconds, and costs nothing.
    static let tickLength: TimeAmount = .milliseconds(250)

    private var formattedSecond: Int64 = .min
    /// The wall clock as HTTP-date and as the first 19 characters of RFC 3339.
    private var httpDate: [UInt8] = []
    private var timestamp: [UInt8] = []

    init() {
        wallOffset = Self.currentOffset()
    }

    mutating func advance() {
        tick &+= 1
        wallOffset = Self.currentOffset()
    }

    /// The first tick that is no earlier than so long from now.
    func tick(after time: TickCount) -> UInt64 {
        tick &+ time.count &+ 1
    }

    /// Monotonic, in nanoseconds.
    static func now() -> Int64 { Int64(truncatingIfNeeded: NIODeadline.now().uptimeNanoseconds) }

    /// The wall clock at a reading of `now()`.
    func date(at now: Int64) -> NumericDate {
        NumericDate(seconds: Double(now &+ wallOffset) / 1e9)
    }

    /// `Date`'s value (RFC 9110 §5.6.7) at a reading of `now()`.
    mutating func httpDate(at now: Int64) -> [UInt8] {
        format((now &+ wallOffset) / 1_000_000_000)
        return httpDate
    }

    /// Appends RFC 3339 in UTC to the millisecond.
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

    /// A reading of the wall clock in nanoseconds, as the nearest one of the years 1970 to 2261.
    ///
    /// Later ones do not fit into 64 bits. The bound leaves room for what passes until the next reading.
    static func nanoseconds(since1970 seconds: Double) -> Int64 {
        Int64(min(NumericDate(clock: seconds), NumericDate.plausible.upperBound).seconds * 1e9)
    }
}

/// A duration in ticks, rounded up; worked out once, because every request arms several time-outs.
struct TickCount: Hashable {
    let count: UInt64

    init(_ duration: Duration) {
        let seconds = min(max(duration.inSeconds, 0), 1e9)
        count = UInt64((seconds * 1e9 / Double(EventLoopClock.tickLength.nanoseconds)).rounded(.up))
    }
}
