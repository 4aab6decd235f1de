import ProxySettings
import TestSupport
import Testing

@testable import UpstreamFleets

/// Half a million requests for few places: what must hold, holds; and what is wrong is found.
struct PlaceSimulationTests {
    @Test(
        arguments: Effort.some(
            [(FleetSettings.Balance.leastRequests, UInt64(3)), (.roundRobin, 4), (.hash(.field("X")), 5)], quick: 1))
    func `requests of three loops for few places`(balance: FleetSettings.Balance, seed: UInt64) {
        var simulation = PlaceSimulation(balance: balance, requests: 170_000, seed: seed)
        let report = simulation.run()
        #expect(report.violations.isEmpty, "\(report)")
        // What was simulated is what was meant.
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
    func `a gateway with one fault is found`(mutation: PlaceSimulation.Mutation, violation: PlaceSimulation.Violation) {
        var simulation = PlaceSimulation(mutation, requests: 30_000, seed: 3)
        let report = simulation.run()
        #expect(report.violations[violation, default: 0] > 0, "\(report)")
    }
}
