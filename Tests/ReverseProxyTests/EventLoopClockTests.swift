import Testing
import TokenVerification

@testable import ReverseProxy

struct EventLoopClockTests {
    @Test func `a deadline is never early and at most two ticks late`() {
        var clock = EventLoopClock()
        #expect(clock.tick(after: TickCount(.zero)) == 1)
        #expect(clock.tick(after: TickCount(.milliseconds(250))) == 2)
        #expect(clock.tick(after: TickCount(.milliseconds(251))) == 3)
        clock.advance()
        #expect(clock.tick(after: TickCount(.seconds(1))) == 6)
        #expect(clock.tick(after: TickCount(.seconds(-1))) == 2)
    }

    @Test func `the wall clock goes with the monotonic one`() {
        let clock = EventLoopClock()
        let now = EventLoopClock.now()
        #expect(abs(clock.date(at: now + 5_000_000_000).seconds - clock.date(at: now).seconds - 5) < 1e-3)
    }

    @Test func `a day of the calendar is what it is`() {
        for (seconds, httpDate, timestamp) in [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37"),
            (0, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00"),
            (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT", "2000-02-29T00:00:00"),
            (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT", "2100-02-28T23:59:59"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT", "2100-03-01T00:00:00"),
            (-5, "Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00"),
            (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59"),
        ] as [(Int64, String, String)] {
            let time = CivilTime(secondsSince1970: seconds)
            #expect(String(decoding: time.httpDate, as: UTF8.self) == httpDate)
            #expect(String(decoding: time.timestamp, as: UTF8.self) == timestamp)
        }
    }
}

struct RequestIDTests {
    @Test func `identifiers are 32 hexadecimal digits and do not repeat`() {
        var random = RequestIDGenerator()
        var seen: Set<String> = []
        for _ in 0..<10_000 {
            let digits = RequestID.digits(random.next(), random.next())
            seen.insert(String(decoding: digits.indices.map { digits[$0] }, as: UTF8.self))
        }
        #expect(seen.count == 10_000)
        #expect(seen.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) && !$0.contains(where: \.isUppercase) })
        let digits = RequestID.digits(0x0123_4567_89AB_CDEF, 1)
        #expect(String(decoding: digits.indices.map { digits[$0] }, as: UTF8.self) == "0123456789abcdef0000000000000001")
    }
}
