import ProxySettings
import TestSupport
import Testing

@testable import UpstreamFleets

/// Half a million requests for few slots: the rules hold, and seeded defects are found.
struct PlaceSimulationTests {
    @Test(
        arguments: Effort.some(
            [(FleetSettings.Balance.leastRequests, UInt64(3)), (.roundRobin, 4), (.hash(.field("X")), 5)], quick: 1))
    func `simulated requests of three event loops for few slots violate no rule`(
        balance: FleetSettings.Balance, seed: UInt64
    ) {
        var simulation = PlaceSimulation(balance: balance, requests: 170_000, seed: seed)
        let report = simulation.run()
        #expect(report.violations.isEmpty, "\(report)")
        // The simulation reached the intended situations.
        #expect(report.answered > 50_000 && report.waited > 10_000 && report.overloaded > 1_000, "\(report)")
        #expect(
            report.unavailable > 100 && report.left > 1_000 && report.retried > 1_000 && report.replaced > 500,
            "\(report)")
    }

    @Test(
        arguments: [
            (PlaceSimulation.Mutation.oneTooMany, PlaceSimulation.Violation.tooManyConnections),
            (.idleNotCounted, .tooManyConnections),
            (.replacesNothing, .tooManyConnections), (.replacesInTwoSteps, .tooManyConnections),
            (.forgetsToTell, .roomUnused),
            (.keepsPlaces, .lost),
        ])
    func `the simulation detects every seeded defect of a gateway`(
        mutation: PlaceSimulation.Mutation, violation: PlaceSimulation.Violation
    ) {
        var simulation = PlaceSimulation(mutation, requests: 30_000, seed: 3)
        let report = simulation.run()
        #expect(report.violations[violation, default: 0] > 0, "\(report)")
    }
}
