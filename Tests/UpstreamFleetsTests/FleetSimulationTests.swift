import ProxySettings
import TestSupport
import Testing

@testable import UpstreamFleets

/// A million requests to four targets that fail at random, with the gateway's own state machine: its rules hold, and
/// seeded defects are found.
struct FleetSimulationTests {
    @Test(.slow, arguments: [FleetSettings.Balance.leastRequests, .roundRobin])
    func `a million simulated requests to failing targets violate no rule`(balance: FleetSettings.Balance) {
        var simulation = FleetSimulation(
            MutantFleet(FleetSettings(balance: balance), targets: 4, seed: 11), requests: 500_000, seed: 12)
        let report = simulation.run()
        #expect(report.violations.isEmpty, "\(report.violations)")
        // The simulation reached the intended situations.
        #expect(
            report.answered > 400_000 && report.retries > 500 && report.ejections > 8 && report.probes > 8, "\(report)")
        #expect(report.unanswered > 50 && report.calmSpans > 10, "\(report)")
    }

    @Test(
        arguments: Effort.some(
            [
                (FleetMutation.noBudget, FleetSimulation.Violation.budget), (.retryAfterWrite, .sentTwice),
                (.ejectsLast, .lost), (.probesAlways, .ejectedTargetUsed), (.scansEjected, .ejectedTargetUsed),
            ], quick: 2))
    func `the simulation detects every seeded defect of a fleet`(
        mutation: FleetMutation, violation: FleetSimulation.Violation
    ) {
        let fleet = MutantFleet(FleetSettings(balance: .leastRequests), targets: 4, seed: 11, mutation)
        var simulation = FleetSimulation(fleet, requests: 100_000, calm: 2, seed: 12)
        let report = simulation.run()
        #expect(report.violations[violation, default: 0] > 0, "\(report)")
    }
}

/// Fault of a fleet.
enum FleetMutation: Sendable {
    case none
    case noBudget
    case retryAfterWrite
    case ejectsLast
    case probesAlways
    case scansEjected
}

/// The gateway's fleet with one seeded defect.
struct MutantFleet {
    var fleet: Fleet
    private let mutation: FleetMutation
    private var rows: [Int]
    private var out: [Int: Int64] = [:]

    init(_ settings: FleetSettings, targets: Int, seed: UInt64, _ mutation: FleetMutation = .none) {
        fleet = Fleet(settings, (0..<targets).map { FleetMember(name: "t\($0)") }, seed: seed, at: 0)
        rows = [Int](repeating: 0, count: targets)
        self.mutation = mutation
    }

    mutating func choose(avoiding tried: TargetSet, at now: Int64) -> FleetChoice? {
        let ejected = fleet.status(at: now).enumerated().filter { !$0.element.isIn }.map(\.offset)
        switch mutation {
        case .probesAlways where tried.isEmpty && !ejected.isEmpty:
            return ejected.randomElement().map { FleetChoice(target: $0, isProbe: true) }
        case .scansEjected:
            if let untried = ejected.first(where: { !tried.contains($0) }) {
                return FleetChoice(target: untried, isProbe: true)
            }
        case .ejectsLast:
            for _ in 0..<20 {
                guard let choice = fleet.choose(avoiding: tried, at: now) else { return nil }
                if out[choice.target, default: 0] <= now { return choice }
                fleet.released(choice)
            }
            return nil
        default: break
        }
        return fleet.choose(avoiding: tried, at: now)
    }

    mutating func answered(
        _ choice: FleetChoice, status: Int, _ request: FleetRequest, after latency: Int64, at now: Int64
    ) -> FleetEvent? {
        rows[choice.target] = 0
        return fleet.answered(choice, status: status, request, after: latency, at: now)
    }

    mutating func failed(_ choice: FleetChoice, _ failure: FleetFailure, at now: Int64) -> FleetEvent? {
        rows[choice.target] += 1
        if rows[choice.target] >= 5 { out[choice.target] = now + 10_000_000_000 }
        return fleet.failed(choice, failure, at: now)
    }

    mutating func released(_ choice: FleetChoice) { fleet.released(choice) }

    mutating func retries(
        _ failure: AttemptFailure, after attempts: Int, isReplayable: Bool, isHeld: Bool, at now: Int64
    ) -> Bool {
        switch mutation {
        case .noBudget:
            attempts < Fleet.mostAttempts
                && fleet.settings.retries.allow(failure, isReplayable: isReplayable, isHeld: isHeld)
        case .retryAfterWrite: attempts < Fleet.mostAttempts
        default: fleet.retries(failure, after: attempts, isReplayable: isReplayable, isHeld: isHeld, at: now)
        }
    }
}
