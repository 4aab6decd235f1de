import Testing

@testable import ReverseProxy

/// Ten seconds are forty ticks.
struct BodyRateTests {
    private static func least(_ rate: Int = 24, pause: Duration = .seconds(1)) throws -> BodyRate.Least {
        try #require(BodyRate.Least(rate: rate, pause: pause))
    }

    @Test(arguments: [(240, false), (239, true)])
    func `a body below the minimum rate over ten seconds is too slow, even by one byte (T395)`(
        bytes: Int, isTooLow: Bool
    ) throws {
        var rate = BodyRate()
        #expect(try !rate.isTooLow(byteCount: 1000, least: Self.least(), at: 7))
        for tick: UInt64 in 8..<47 { #expect(try !rate.isTooLow(byteCount: 1000, least: Self.least(), at: tick)) }
        #expect(try rate.isTooLow(byteCount: 1000 + bytes, least: Self.least(), at: 47) == isTooLow)
    }

    @Test func `bytes of an earlier period do not count for the next`() throws {
        var rate = BodyRate()
        #expect(try !rate.isTooLow(byteCount: 0, least: Self.least(), at: 0))
        #expect(try !rate.isTooLow(byteCount: 1_000_000, least: Self.least(), at: 40))
        #expect(try rate.isTooLow(byteCount: 1_000_001, least: Self.least(), at: 80))
    }

    @Test func `the measuring period is at least the idle timeout of a body`() throws {
        let least = try Self.least(pause: .seconds(30))
        #expect(least.window == TickCount(.seconds(30)))
        #expect(least.byteCount == 720)
        #expect(BodyRate.Least(rate: 0, pause: .seconds(30)) == nil)
        #expect(try Self.least(.max, pause: .seconds(86_400)).byteCount > 0)
    }
}
