import Telemetry
import Testing

struct SpanRateTests {
    private static let second: Int64 = 1_000_000_000

    @Test func `a second's worth may come at once, and then one for each interval`() {
        let rate = SpanRate(most: 10)
        let taken = { (now: Int64) in (0..<100).count { _ in rate.take(at: now) } }
        #expect(taken(0) == 10)
        #expect(taken(Self.second / 10 - 1) == 0)
        #expect(taken(Self.second / 10) == 1)
        #expect(taken(Self.second) == 9)
        // After a long pause, no more than a second's worth.
        #expect(taken(1000 * Self.second) == 10)
    }

    @Test(arguments: [1, 3, 200, 1000])
    func `over three seconds no more pass than the rate, and a second's worth before`(most: Int) {
        let rate = SpanRate(most: most)
        let (step, end) = (Self.second / Int64(most) / 2 + 1, 3 * Self.second)
        let passed = stride(from: 0, to: end, by: Int(step)).count { rate.take(at: Int64($0)) }
        #expect(passed <= most * 4 + 1)
        #expect(passed >= most * 3 - 3)
    }

    @Test func `a rate of zero permits none`() {
        #expect(!SpanRate(most: 0).take(at: 0))
    }
}

struct TracingShareTests {
    @Test func `a share has the numbers below it, all of them, or none`() {
        #expect(TracingSettings.Share.percent(100).has(.max))
        #expect(!TracingSettings.Share.percent(0).has(0))
        #expect(TracingSettings.Share.percent(50).has(1 << 63 - 1))
        #expect(!TracingSettings.Share.percent(50).has(1 << 63 + 1 << 20))
        #expect(!TracingSettings.Share.percent(-1).has(0))
        #expect(TracingSettings.Share.percent(101).has(.max))
    }

    @Test(arguments: [0.01, 1, 33.3, 99.9])
    func `a share of random numbers is chosen`(percent: Double) {
        var random = SystemRandomNumberGenerator()
        let share = TracingSettings.Share.percent(percent)
        let chosen = (0..<100_000).count { _ in share.has(random.next()) }
        // Six standard deviations.
        let (expected, deviation) = (1000 * percent, (10 * percent * (100 - percent)).squareRoot())
        #expect(abs(Double(chosen) - expected) < 6 * deviation)
    }

    @Test(arguments: [(0, "0%"), (1, "1%"), (0.5, "0.5%"), (100, "100%")])
    func `a share is written as in the file`(percent: Double, text: String) {
        #expect(TracingSettings.Share.percent(percent).text == text)
    }
}
