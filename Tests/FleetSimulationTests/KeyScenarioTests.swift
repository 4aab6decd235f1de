import JOSE
import KeySets
import TestSupport
import Testing

/// Cost of a fleet's key sets for an issuer and for valid requests, within bounds that follow from the state machine.
@Suite struct KeyScenarioTests {
    private static let scale = FleetScale.asked
    private static let second = VirtualTime.second
    private static let nodes = scale.nodes
    /// Shortest time in seconds until a fresh set is fetched again: four fifths of 300 s, less a tenth.
    private static let soonestRefresh = 216
    /// Longest time until a retry: the longest pause, an attempt, and a late timer.
    private static let longestPause = 60 * second + 2 * second / 10
    /// Longest time that the issuer takes to answer, plus a moment.
    private static let longestAnswer = 81 * VirtualTime.millisecond

    @Test func `nodes that start at the same time fetch once each, and later fetches are spread`() async throws {
        let start = try await FleetReport.shared.value.start
        #expect(start.peak == Self.nodes)
        #expect(try #require(start.laterPeak) <= max(3, Self.nodes / 4))
        #expect(try #require(start.fetches) <= Self.nodes * (1 + 3600 / Self.soonestRefresh))
        #expect(try #require(start.converged) <= Self.longestAnswer)
        // At each node 1,024 requests wait during the first fetch.
        let come = Self.scale.rateOfNode * Self.longestAnswer / Self.second
        #expect(start.goodRefused <= Int64(Self.nodes) * max(0, come - 1024))
    }

    @Test func `with saved keys no valid request is refused, whatever the issuer does`() async throws {
        let report = try await FleetReport.shared.value
        #expect(report.startSaved.goodRefused == 0 && report.downAtStartSaved.goodRefused == 0)
        #expect(report.startSaved.peak == Self.nodes)
    }

    @Test func `nodes that get Retry-After at the same time do not retry at the same time`() async throws {
        let limited = try await FleetReport.shared.value.startLimited
        // Limited once, and back within a fifth more than Retry-After.
        #expect(try #require(limited.converged) <= 36 * Self.second + 2 * Self.longestAnswer)
    }

    @Test func `without keys all requests are 503 until at most a minute after the issuer is back`() async throws {
        let down = try await FleetReport.shared.value.downAtStart
        #expect(down.goodRefused >= Self.scale.rate * 600)
        #expect(try #require(down.converged) <= Self.longestPause)
        #expect(down.goodRefused <= Self.scale.rate * 661)
    }

    @Test func `an issuer that is down or silent for an hour costs no valid request`() async throws {
        let report = try await FleetReport.shared.value
        for outcome in [report.down, report.silent] {
            #expect(outcome.goodRefused == 0, "\(outcome)")
            // One fetch in 54 s at most, after six that come sooner.
            #expect(try #require(outcome.fetches) <= Self.nodes * (3600 / 54 + 7), "\(outcome)")
            #expect(try #require(outcome.converged) <= Self.longestPause + 5 * Self.second, "\(outcome)")
        }
    }

    @Test func `requests are 503 only after the stale limit`() async throws {
        let stale = try await FleetReport.shared.value.stale
        // A set is at most one refresh interval old when the issuer goes down.
        #expect(stale.goodRefused >= Self.scale.rate * (1200 - 600))
        #expect(stale.goodRefused <= Self.scale.rate * (1200 - 600 + 265 + 61))
    }

    @Test func `a key published before its first token costs no valid request and no extra fetch`()
        async throws
    {
        let rotation = try await FleetReport.shared.value.rotation
        #expect(rotation.goodRefused == 0)
        #expect(try #require(rotation.fetches) <= Self.nodes * (1200 / Self.soonestRefresh + 1))
        #expect(try #require(rotation.converged) <= 264 * Self.second + Self.longestAnswer)
    }

    @Test func `a rotation without notice costs no valid request, and one fetch per node`() async throws {
        let emergency = try await FleetReport.shared.value.emergency
        #expect(emergency.goodRefused == 0)
        #expect(try #require(emergency.converged) < Self.second / 2)
        #expect(try #require(emergency.badForwarded) <= KeyScenarios.withdrawnRate / 2)
    }

    @Test func `during a flood of unknown key IDs, a new key without notice is found within 15 seconds`() async throws {
        let emergency = try await FleetReport.shared.value.emergencyInFlood
        #expect(emergency.goodRefused > 0)
        #expect(emergency.goodRefused <= Self.scale.rate / 100 * 16)
        #expect(try #require(emergency.converged) <= 15 * Self.second + 2 * Self.longestAnswer)
    }

    @Test func `a flood of unknown key IDs causes at most five fetches and four more a minute per node`() async throws {
        let flood = try await FleetReport.shared.value.flood
        let nodes = FleetReport.floodedNodes
        let fetches = try #require(flood.fetches)
        #expect(fetches <= nodes * (5 + 3600 / 15 + 3600 / Self.soonestRefresh + 1))
        // All allowed fetches are used.
        #expect(fetches >= nodes * (5 + 3600 / 15 - 2))
        // All begin within one second.
        #expect(try #require(flood.peak) <= nodes * (5 + 1))
        #expect(flood.goodRefused == 0 && flood.badForwarded == 0)
    }

    // MARK: The simulation itself

    @Test func `all requests of a time span have the same outcome as its first and last`() async throws {
        let report = try await FleetReport.shared.value
        for outcome in report.ofKeys + report.ofDenials { #expect(outcome.unexplained == 0, "\(outcome)") }
    }

    @Test func `requests simulated in bulk have the same outcome as requests simulated singly`() throws {
        let small = FleetScale(nodes: 3, rate: 300, seed: 7)
        // So many requests that not all of them can wait.
        let dense = FleetScale(nodes: 2, rate: 80_000, seed: 8)
        for judgesEach in [true, false] {
            let start = try KeyScenarios.startOfAll(
                dense, sending: 100 * VirtualTime.millisecond, judgesEach: judgesEach)
            #expect(start == (try KeyScenarios.startOfAll(dense, sending: 100 * VirtualTime.millisecond)))
            #expect(start.goodRefused > 0)
            let emergency = try KeyScenarios.emergencyRotation(small, strays: 30, judgesEach: judgesEach)
            #expect(emergency == (try KeyScenarios.emergencyRotation(small, strays: 30)))
            #expect(emergency.goodRefused > 0)
        }
    }

    @Test func `the same seed has the same outcome, and another seed another`() throws {
        let outcomes = try [20, 20, 21].map {
            try KeyScenarios.rotationInAdvance(FleetScale(nodes: 5, rate: 1000, seed: $0))
        }
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0] != outcomes[2])
    }
}
