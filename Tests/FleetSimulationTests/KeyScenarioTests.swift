import JOSE
import KeySets
import TestSupport
import Testing

/// Cost of a fleet's key sets for an issuer and for good requests, in bounds that follow from the machine.
@Suite struct KeyScenarioTests {
    private static let scale = FleetScale.asked
    private static let second = VirtualTime.second
    private static let nodes = scale.nodes
    /// The soonest that a fresh set is fetched anew: four fifths of 300 s, less a tenth.
    private static let soonestRefresh = 216
    /// The longest pause between two attempts, an attempt, and a timer that is late.
    private static let longestPause = 60 * second + 2 * second / 10
    /// The longest that the issuer takes to answer, and a moment.
    private static let longestAnswer = 81 * VirtualTime.millisecond

    @Test func `nodes that start at once fetch once each, and then spread`() async throws {
        let start = try await FleetReport.shared.value.start
        #expect(start.peak == Self.nodes)
        #expect(try #require(start.laterPeak) <= max(3, Self.nodes / 4))
        #expect(try #require(start.fetches) <= Self.nodes * (1 + 3600 / Self.soonestRefresh))
        #expect(try #require(start.converged) <= Self.longestAnswer)
        // While the first fetch is under way 1,024 wait at each node.
        let come = Self.scale.rateOfNode * Self.longestAnswer / Self.second
        #expect(start.goodRefused <= Int64(Self.nodes) * max(0, come - 1024))
    }

    @Test func `with keys on disk no good request is refused, whatever the issuer does`() async throws {
        let report = try await FleetReport.shared.value
        #expect(report.startSaved.goodRefused == 0 && report.downAtStartSaved.goodRefused == 0)
        #expect(report.startSaved.peak == Self.nodes)
    }

    @Test func `nodes that an issuer sends away together do not come back together`() async throws {
        let limited = try await FleetReport.shared.value.startLimited
        // Sent away once, and back within a fifth more than they were told.
        #expect(try #require(limited.converged) <= 36 * Self.second + 2 * Self.longestAnswer)
    }

    @Test func `without any keys all requests are 503 until a minute after the issuer is back`() async throws {
        let down = try await FleetReport.shared.value.downAtStart
        #expect(down.goodRefused >= Self.scale.rate * 600)
        #expect(try #require(down.converged) <= Self.longestPause)
        #expect(down.goodRefused <= Self.scale.rate * 661)
    }

    @Test func `an issuer that is down or silent for an hour costs no good request`() async throws {
        let report = try await FleetReport.shared.value
        for outcome in [report.down, report.silent] {
            #expect(outcome.goodRefused == 0, "\(outcome)")
            // One in 54 s at the most, after six that come sooner.
            #expect(try #require(outcome.fetches) <= Self.nodes * (3600 / 54 + 7), "\(outcome)")
            #expect(try #require(outcome.converged) <= Self.longestPause + 5 * Self.second, "\(outcome)")
        }
    }

    @Test func `past the stale limit requests are 503, and until it none is`() async throws {
        let stale = try await FleetReport.shared.value.stale
        // A set is at most as old as a refresh when the issuer goes down.
        #expect(stale.goodRefused >= Self.scale.rate * (1200 - 600))
        #expect(stale.goodRefused <= Self.scale.rate * (1200 - 600 + 265 + 61))
    }

    @Test func `a key that is published before its first token costs no good request and no further fetch`()
        async throws
    {
        let rotation = try await FleetReport.shared.value.rotation
        #expect(rotation.goodRefused == 0)
        #expect(try #require(rotation.fetches) <= Self.nodes * (1200 / Self.soonestRefresh + 1))
        #expect(try #require(rotation.converged) <= 264 * Self.second + Self.longestAnswer)
    }

    @Test func `a rotation without notice costs no good request, and a fetch of each node`() async throws {
        let emergency = try await FleetReport.shared.value.emergency
        #expect(emergency.goodRefused == 0)
        #expect(try #require(emergency.converged) < Self.second / 2)
        #expect(try #require(emergency.badForwarded) <= KeyScenarios.withdrawnRate / 2)
    }

    @Test func `in a flood of unknown key IDs a key without notice is found within 15 seconds`() async throws {
        let emergency = try await FleetReport.shared.value.emergencyInFlood
        #expect(emergency.goodRefused > 0)
        #expect(emergency.goodRefused <= Self.scale.rate / 100 * 16)
        #expect(try #require(emergency.converged) <= 15 * Self.second + 2 * Self.longestAnswer)
    }

    @Test func `a flood of unknown key IDs buys each of a hundred nodes five fetches and four a minute`() async throws {
        let flood = try await FleetReport.shared.value.flood
        let nodes = FleetReport.floodedNodes
        let fetches = try #require(flood.fetches)
        #expect(fetches <= nodes * (5 + 3600 / 15 + 3600 / Self.soonestRefresh + 1))
        // All that may be used are.
        #expect(fetches >= nodes * (5 + 3600 / 15 - 2))
        // All begin in one second.
        #expect(try #require(flood.peak) <= nodes * (5 + 1))
        #expect(flood.goodRefused == 0 && flood.badForwarded == 0)
    }

    // MARK: The simulation itself

    @Test func `the requests of a span all have the fate of its first and its last`() async throws {
        let report = try await FleetReport.shared.value
        for outcome in report.ofKeys + report.ofDenials { #expect(outcome.unexplained == 0, "\(outcome)") }
    }

    @Test func `requests that are counted have the fate that each has by itself`() throws {
        let small = FleetScale(nodes: 3, rate: 300, seed: 7)
        // So dense that not all who come can wait.
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

    @Test func `a seed has one outcome, and another seed another`() throws {
        let outcomes = try [20, 20, 21].map {
            try KeyScenarios.rotationInAdvance(FleetScale(nodes: 5, rate: 1000, seed: $0))
        }
        #expect(outcomes[0] == outcomes[1])
        #expect(outcomes[0] != outcomes[2])
    }
}
