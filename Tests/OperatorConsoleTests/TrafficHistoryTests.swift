import Testing

@testable import OperatorConsole

struct TrafficHistoryTests {
    private static let start = ContinuousClock.now

    private static func totals(_ requests: UInt64, _ client: UInt64 = 0, _ server: UInt64 = 0) -> TrafficTotals {
        TrafficTotals(requests: requests, clientErrors: client, serverErrors: server, buckets: [requests, 0])
    }

    private static func history(_ samples: [(totals: TrafficTotals, seconds: Int)]) -> TrafficHistory {
        samples.reduce(into: TrafficHistory(bounds: [1])) { $0.add($1.totals, at: start + .seconds($1.seconds)) }
    }

    @Test func `rates are differences of totals over the time that passed`() {
        let history = Self.history([(Self.totals(100, 7, 3), 0), (Self.totals(150, 17, 4), 10)])
        #expect(
            history.points == [
                TrafficPoint(
                    requests: 5, clientErrors: 1, serverErrors: 0.1, median: 0.5, percentile99: 0.99)
            ])
    }

    @Test func `an interval without requests has no percentiles`() {
        let history = Self.history([(Self.totals(3), 0), (Self.totals(3), 5)])
        #expect(
            history.points == [
                TrafficPoint(requests: 0, clientErrors: 0, serverErrors: 0, median: nil, percentile99: nil)
            ])
    }

    @Test func `the first sample, and samples of no time, make no interval`() {
        #expect(Self.history([(Self.totals(3), 0)]).points.isEmpty)
        #expect(Self.history([(Self.totals(3), 5), (Self.totals(4), 5), (Self.totals(9), 4)]).points.isEmpty)
    }

    @Test func `at most 180 intervals are kept, the latest ones`() {
        let samples = (0...500).map { (totals: Self.totals(UInt64($0 * $0)), seconds: $0) }
        let history = Self.history(samples)
        #expect(history.points.count == TrafficHistory.mostPoints)
        #expect(TrafficHistory.interval * TrafficHistory.mostPoints == .seconds(15 * 60))
        #expect(history.points.last?.requests == 999)
        #expect(history.points.first?.requests == 641)
    }
}
