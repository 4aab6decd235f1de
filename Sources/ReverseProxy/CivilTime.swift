/// A second in the Gregorian calendar, UTC.
struct CivilTime {
    let year, month, day, hour, minute, second, weekday: Int

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// - Parameter seconds: not before 1970; earlier ones count as 1970-01-01T00:00:00Z.
    init(secondsSince1970 seconds: Int64) {
        let seconds = Int(min(max(seconds, 0), 253_402_300_799))
        let days = seconds / 86_400
        let rest = seconds % 86_400
        (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60)
        weekday = (days + 4) % 7
        // Years that begin in March have their leap day last; eras of 400 years are all alike.
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
    }

    /// `Sun, 06 Nov 1994 08:49:37 GMT`
    var httpDate: [UInt8] {
        var bytes = Array("\(Self.weekdays[weekday]), ".utf8)
        Self.append(day, digits: 2, to: &bytes)
        bytes += Array(" \(Self.months[month - 1]) ".utf8)
        Self.append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: " "))
        appendTime(to: &bytes)
        return bytes + Array(" GMT".utf8)
    }

    /// `1994-11-06T08:49:37`
    var timestamp: [UInt8] {
        var bytes: [UInt8] = []
        Self.append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        Self.append(day, digits: 2, to: &bytes)
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

    static func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = 1
        for _ in 1..<digits { divisor *= 10 }
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") &+ UInt8(truncatingIfNeeded: number / divisor % 10))
            divisor /= 10
        }
    }
}
