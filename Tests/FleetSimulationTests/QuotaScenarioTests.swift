import Testing

/// Requests that a quota permits and refuses while the store that counts it is out of reach.
@Suite struct QuotaScenarioTests {
    private static let nodes = Int64(FleetScale.asked.nodes)
    private static let rate = Int64(QuotaScenarios.rate)
    /// In seconds: the outage, and the longest pause of a node that looks whether the store is back.
    private static let outage: Int64 = 60 + 2

    @Test func `with the number of nodes no more than one further burst is let through`() async throws {
        let report = try await FleetReport.shared.value
        for result in [report.local, report.localSilent] {
            // Each node's part begins anew, and a store that was killed has forgotten.
            #expect(result.tally.forwarded - result.permittedByReference <= 2 * Self.rate + Self.nodes, "\(result)")
            #expect(result.tally.unavailable == 0, "\(result)")
        }
    }

    @Test func `without the number of nodes each permits the whole quota`() async throws {
        let result = try await FleetReport.shared.value.localWithoutNodes
        let extra = result.tally.forwarded - result.permittedByReference
        #expect(extra > 10 * Self.rate, "\(result)")
        #expect(extra <= (Self.nodes - 1) * Self.rate * (Self.outage + 1), "\(result)")
    }

    @Test func `a caller of one node has no more than that node's part`() async throws {
        let result = try await FleetReport.shared.value.localAtOneNode
        let sent = QuotaScenarios.rate * 4 / 5 * 60
        let part = QuotaScenarios.rate * 60 / FleetScale.asked.nodes
        #expect(result.outcome.goodRefused >= Int64(sent - part - QuotaScenarios.rate), "\(result)")
    }

    @Test func `where the file says refuse nothing is let through that is beyond the quota, and all else is 503`()
        async throws
    {
        let result = try await FleetReport.shared.value.refuse
        // The store that was killed has forgotten what was used: one burst.
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
