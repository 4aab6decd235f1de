import NetworkNames
import Testing

struct CivilTimeTests {
    @Test func `seconds are converted to the right day of the calendar`() {
        for (seconds, httpDate, timestamp) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT", "2100-02-28T23:59:59"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT", "2100-03-01T00:00:00"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59"),
            (.max, "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59"),
            (.min, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00"),
        ] as [(Int64, String, String)] {
            let time = CivilTime(secondsSince1970: seconds)
            #expect(String(decoding: time.httpDate, as: UTF8.self) == httpDate)
            #expect(String(decoding: time.timestamp, as: UTF8.self) == timestamp)
        }
    }

    @Test(arguments: [(0, 3, "000"), (7, 3, "007"), (999, 3, "999"), (1234, 2, "34"), (5, 1, "5")])
    func `a number is written with its last digits, padded with zeros`(number: Int, digits: Int, text: String) {
        var bytes: [UInt8] = []
        CivilTime.append(number, digits: digits, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
    }
}

struct CivilDateTests {
    @Test func `every day of a thousand years follows the previous one`() {
        let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        // Monday, 1 January 1601, and the first day of year 0.
        for (first, startYear, startWeekday) in [(-134_774, 1601, 1), (-719_528, 0, 6)] {
            var (year, month, day, weekday) = (startYear, 1, 1, startWeekday)
            for days in first..<first + 365_000 {
                let date = CivilDate(daysSince1970: days)
                guard (date.year, date.month, date.day) == (year, month, day), date.weekday == weekday else {
                    Issue.record("day \(days) is \(year)-\(month)-\(day), not \(date)")
                    return
                }
                let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
                let length = month == 2 && isLeap ? 29 : lengths[month - 1]
                weekday = (weekday + 1) % 7
                (month, day) = day < length ? (month, day + 1) : (month + 1, 1)
                if month == 13 { (year, month) = (year + 1, 1) }
            }
        }
    }

    @Test(arguments: [
        (-719_529, -1, 12, 31, 5), (-1, 1969, 12, 31, 3), (-25_509, 1900, 2, 28, 3), (-25_508, 1900, 3, 1, 4),
    ])
    func `days before 1970 are counted backwards`(days: Int, year: Int, month: Int, day: Int, weekday: Int) {
        let date = CivilDate(daysSince1970: days)
        #expect((date.year, date.month, date.day) == (year, month, day))
        #expect(date.weekday == weekday)
    }
}
