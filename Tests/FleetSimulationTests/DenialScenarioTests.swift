import Testing

@testable import Denials

/// How soon a whole fleet refuses a token that was denied.
@Suite struct DenialScenarioTests {
    private static let peerInterval = VirtualTime.nanoseconds(DenialRegister.peerInterval)
    /// To the store and back, twice: of the question under way and of the one that finds it.
    private static let roundTrips = 10 * VirtualTime.millisecond

    @Test func `a denial by API is at all nodes within the interval of their questions`() async throws {
        let outcome = try await FleetReport.shared.value.denyByAPI
        let converged = try #require(outcome.converged)
        #expect(converged > 0 && converged <= Self.peerInterval + Self.roundTrips)
        #expect(
            try #require(outcome.badForwarded) <= DenialScenarios.rate * converged / VirtualTime.second
                + Int64(FleetScale.asked.nodes))
        #expect(outcome.goodRefused == 0)
    }

    @Test func `a changed file is in force at all nodes after one look`() async throws {
        let outcome = try await FleetReport.shared.value.denyByFile
        let converged = try #require(outcome.converged)
        #expect(converged > 0 && converged <= VirtualTime.nanoseconds(DenialRegister.interval) + Self.roundTrips)
        #expect(outcome.goodRefused == 0)
    }

    @Test func `a denial while the store is down is at all nodes as soon after its return`() async throws {
        let outcome = try await FleetReport.shared.value.denyWithoutStore
        // The node that was asked has to tell it with its next question, and the others ask after that.
        let converged = try #require(outcome.converged)
        #expect(converged >= DenialScenarios.outage)
        #expect(converged <= DenialScenarios.outage + 2 * (Self.peerInterval + Self.roundTrips))
        #expect(outcome.goodRefused == 0)
    }
}
