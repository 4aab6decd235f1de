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

    @Test(arguments: [
        (0.0, 0.0), (1_790_000_000.25, 1_790_000_000.25), (-1, 0), (-.infinity, 0), (9_214_646_399, 9_214_646_399),
        (9_214_646_400, 9_214_646_400), (9_223_372_037, 9_214_646_400), (253_402_300_800, 9_214_646_400),
        (.greatestFiniteMagnitude, 9_214_646_400), (.infinity, 9_214_646_400),
    ])
    func `any wall clock time is clamped to what 64 bits of nanoseconds hold`(
        _ shown: Double, _ seconds: Double
    ) {
        // A `Double` of nanoseconds is exact to a microsecond there.
        #expect(abs(Double(EventLoopClock.nanoseconds(since1970: shown)) / 1e9 - seconds) < 1e-5)
    }

    @Test func `the wall clock advances with the monotonic clock`() {
        let clock = EventLoopClock()
        let now = EventLoopClock.now()
        #expect(abs(clock.date(at: now + 5_000_000_000).seconds - clock.date(at: now).seconds - 5) < 1e-3)
    }
}
