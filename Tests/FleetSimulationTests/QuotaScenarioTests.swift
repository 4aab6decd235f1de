import Testing

/// Requests that a quota permits and refuses while the store of its counts is unreachable.
@Suite struct QuotaScenarioTests {
    private static let nodes = Int64(FleetScale.asked.nodes)
    private static let rate = Int64(QuotaScenarios.rate)
    /// Duration in seconds: the outage, plus the longest pause of a node before it tries the store again.
    private static let outage: Int64 = 60 + 2

    @Test func `if the file names the number of nodes, an outage of the store permits at most one extra burst`()
        async throws
    {
        let report = try await FleetReport.shared.value
        for result in [report.local, report.localSilent] {
            // Each node's share begins anew, and a killed store has lost its counts.
            #expect(result.tally.forwarded - result.permittedByReference <= 2 * Self.rate + Self.nodes, "\(result)")
            #expect(result.tally.unavailable == 0, "\(result)")
        }
    }

    @Test func `without the number of nodes in the file, every node permits the whole quota`() async throws {
        let result = try await FleetReport.shared.value.localWithoutNodes
        let extra = result.tally.forwarded - result.permittedByReference
        #expect(extra > 10 * Self.rate, "\(result)")
        #expect(extra <= (Self.nodes - 1) * Self.rate * (Self.outage + 1), "\(result)")
    }

    @Test func `a caller that uses one node gets only that node's share of the quota`() async throws {
        let result = try await FleetReport.shared.value.localAtOneNode
        let sent = QuotaScenarios.rate * 4 / 5 * 60
        let part = QuotaScenarios.rate * 60 / FleetScale.asked.nodes
        #expect(result.outcome.goodRefused >= Int64(sent - part - QuotaScenarios.rate), "\(result)")
    }

    @Test func `with on-failure refuse, no request beyond the quota is forwarded, and all others are 503`()
        async throws
    {
        let result = try await FleetReport.shared.value.refuse
        // The killed store has lost its counts: one burst.
        #expect(result.tally.forwarded - result.permittedByReference <= Self.rate, "\(result)")
        #expect(result.tally.unavailable >= Self.rate * 5 / 2 * 59, "\(result)")
    }

    @Test func `no request waits for a silent store longer than its timeout`() async throws {
        let result = try await FleetReport.shared.value.localSilent
        #expect(
            result.longestWait >= 50 * VirtualTime.millisecond && result.longestWait <= 51 * VirtualTime.millisecond,
            "\(result)")
        let killed = try await FleetReport.shared.value.local
        #expect(killed.longestWait <= 6 * VirtualTime.millisecond, "\(killed)")
    }
}
