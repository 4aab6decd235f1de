import Foundation
import TestSupport
import Testing

@testable import Supervision

/// A hundred thousand events for the supervisor's state machine. `BEARWARD_SEED` repeats a walk.
struct SupervisorWalkTests {
    private static let seed =
        ProcessInfo.processInfo.environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
    private static let walks = 200
    private static let steps = 500

    /// Maximum duration: a start that hangs, a pause after repeated crashes, a start that succeeds, and a hand-over
    /// without reply.
    private static let serving = SupervisorWalk.longestStart + .seconds(10) + .seconds(2) + .seconds(5)
    /// Maximum duration of an upgrade, which may come after another one.
    private static let upgraded = serving + .seconds(2) + .seconds(5)
    /// Maximum duration: a worker that starts and is told to terminate, the margin, and the system's delay.
    private static let ending = SupervisorWalk.longestStart + SupervisorWalk.longestEnd + .seconds(15)

    @Test
    func `F47 in random event sequences a worker always serves or starts, every wait ends, and no upgrade is lost`() {
        var (events, outage, end) = (0, Duration.zero, Duration.zero)
        for number in 0..<Self.walks {
            let seed = Self.seed &+ UInt64(number)
            var walk = SupervisorWalk(seed: seed)
            walk.begin()
            for step in 1...Self.steps where walk.exit == nil && walk.faults.isEmpty {
                walk.step()
                if step.isMultiple(of: 50) { walk.calm(within: Self.upgraded) }
            }
            let hasServed = walk.exit == nil
            if hasServed { walk.end(within: Self.ending) }
            events += walk.events
            outage = max(outage, walk.longestOutage)
            end = max(end, walk.longestEnding)
            let faults = walk.faults
            #expect(faults == [], "BEARWARD_SEED=\(seed)")
            guard faults.isEmpty else { return }
        }
        print(
            "supervisor walk: BEARWARD_SEED=\(Self.seed), \(events) events; served again within \(outage), ended within \(end)"
        )
        #expect(events > 90_000)
        #expect(outage <= Self.serving)
        #expect(outage > .seconds(5))
    }
}
