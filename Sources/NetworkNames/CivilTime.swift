/// A time in UTC with a resolution of one second, in the years 1970 to 9999.
public struct CivilTime: Sendable, Hashable {
    public let date: CivilDate
    public let hour, minute, second: Int

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter seconds: Unix time. Times before 1970 are treated as 1970-01-01T00:00:00Z, times after 9999 as its
    ///   last second.
    public init(secondsSince1970 seconds: Int64) {
        let seconds = Int(truncatingIfNeeded: min(max(seconds, 0), 253_402_300_799))
        let rest = seconds % 86_400
        date = CivilDate(daysSince1970: seconds / 86_400)
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
    }

    /// The time in the preferred format of RFC 9110 §5.6.7: `Sun, 06 Nov 1994 08:49:37 GMT`.
    public var httpDate: [UInt8] {
        // in bounds: a weekday is below 7, a month is 1 to 12
        var bytes = Array("\(Self.weekdays[date.weekday]), ".utf8)
        Self.append(date.day, digits: 2, to: &bytes)
        bytes.append(contentsOf: " \(Self.months[date.month &- 1]) ".utf8)
        Self.append(date.year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: " "))
        appendTime(to: &bytes)
        bytes.append(contentsOf: " GMT".utf8)
        return bytes
    }

    /// The time as in RFC 3339, to the second and without an offset: `1994-11-06T08:49:37`.
    public var timestamp: [UInt8] {
        var bytes: [UInt8] = []
        Self.append(date.year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(date.month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(date.day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "T"))
        appendTime(to: &bytes)
        return bytes
    }

    private func appendTime(to bytes: inout [UInt8]) {
        Self.append(hour, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(minute, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        Self.append(second, digits: 2, to: &bytes)
    }

    /// Appends the last `digits` decimal digits of a non-negative number, padded with zeros.
    public static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor &*= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
