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
