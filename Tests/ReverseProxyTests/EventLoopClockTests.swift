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
