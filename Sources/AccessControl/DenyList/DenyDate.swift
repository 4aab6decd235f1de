import NetworkNames
import TokenVerification

/// Parses the dates of entries: RFC 3339 in UTC with whole seconds, or whole seconds since 1970.
enum DenyDate {
    static let form = "a time such as \"2026-11-22T10:00:00Z\", or whole seconds since 1970"
    /// Latest time that a table can store: 2106-02-07.
    private static let latest = Double(UInt32.max) - 1

    static func parse(seconds: Int64) -> NumericDate? {
        checked(Double(seconds))
    }

    /// Parses a time of the form `2026-11-22T10:00:00Z`. Nil for any other text.
    static func parse(_ text: Span<UInt8>) -> NumericDate? {
        guard text.count == 20, isPunctuated(text), let year = number(text, 0, 4), let month = number(text, 5, 2),
            let day = number(text, 8, 2), let hour = number(text, 11, 2), let minute = number(text, 14, 2),
            let second = number(text, 17, 2),
            hour < 24, minute < 60, second < 60, let days = days(year, month, day)
        else { return nil }
        return checked(Double(days * 86_400 + hour * 3600 + minute * 60 + second))
    }

    private static func checked(_ seconds: Double) -> NumericDate? {
        seconds > 0 && seconds <= latest ? NumericDate(seconds: seconds) : nil
    }

    private static func isPunctuated(_ text: Span<UInt8>) -> Bool {
        for (index, byte) in [(4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")] as [(Int, Unicode.Scalar)]
        {
            guard text[index] == UInt8(ascii: byte) else { return false }
        }
        return true
    }

    private static func number(_ text: Span<UInt8>, _ start: Int, _ count: Int) -> Int? {
        var number = 0
        for index in start..<start + count {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { return nil }
            number = number * 10 + Int(text[index] - UInt8(ascii: "0"))
        }
        return number
    }

    /// Number of days since 1970. Nil if the month has no such day.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int? {
        guard (1970...2106).contains(year), (1...12).contains(month), day >= 1 else { return nil }
        let (years, shiftedMonth) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
        let days =
            years * 365 + years / 4 - years / 100 + years / 400 + (153 * shiftedMonth + 2) / 5 + day - 1 - 719_468
        let date = CivilDate(daysSince1970: days)
        return date.month == month && date.day == day ? days : nil
    }
}
