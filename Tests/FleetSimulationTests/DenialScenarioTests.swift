import Testing

@testable import Denials

/// Time until a whole fleet refuses a denied token.
@Suite struct DenialScenarioTests {
    private static let peerInterval = VirtualTime.nanoseconds(DenialRegister.peerInterval)
    /// Two round trips to the store: of the running request and of the one that finds the denial.
    private static let roundTrips = 10 * VirtualTime.millisecond

    @Test func `a denial by API reaches all nodes within their polling interval`() async throws {
        let outcome = try await FleetReport.shared.value.denyByAPI
        let converged = try #require(outcome.converged)
        #expect(converged > 0 && converged <= Self.peerInterval + Self.roundTrips)
        #expect(
            try #require(outcome.badForwarded) <= DenialScenarios.rate * converged / VirtualTime.second
                + Int64(FleetScale.asked.nodes))
        #expect(outcome.goodRefused == 0)
    }

    @Test func `a changed deny file is in force at all nodes after one look`() async throws {
        let outcome = try await FleetReport.shared.value.denyByFile
        let converged = try #require(outcome.converged)
        #expect(converged > 0 && converged <= VirtualTime.nanoseconds(DenialRegister.interval) + Self.roundTrips)
        #expect(outcome.goodRefused == 0)
    }

    @Test func `a denial made while the store is down reaches all nodes soon after the store returns`() async throws {
        let outcome = try await FleetReport.shared.value.denyWithoutStore
        // The node that was asked writes the denial with its next request to the store, and the others read it after
        // that.
        let converged = try #require(outcome.converged)
        #expect(converged >= DenialScenarios.outage)
        #expect(converged <= DenialScenarios.outage + 2 * (Self.peerInterval + Self.roundTrips))
        #expect(outcome.goodRefused == 0)
    }
}
