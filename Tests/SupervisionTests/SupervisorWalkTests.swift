import Foundation
import TestSupport
import Testing

@testable import Supervision

/// A hundred thousand events over the supervisor's machine. `BEARWARD_SEED` repeats a walk.
struct SupervisorWalkTests {
    private static let seed =
        ProcessInfo.processInfo.environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9_999_999)
    private static let walks = 200
    private static let steps = 500

    /// A start that hangs, a pause after deaths in a row, a start that does not, and a hand-over to which nobody
    /// answers.
    private static let serving = SupervisorWalk.longestStart + .seconds(10) + .seconds(2) + .seconds(5)
    /// An upgrade that was asked for may come after another one.
    private static let upgraded = serving + .seconds(2) + .seconds(5)
    /// A worker that starts and is told to end, the margin, and what the system takes.
    private static let ending = SupervisorWalk.longestStart + SupervisorWalk.longestEnd + .seconds(15)

    @Test func `F47 whatever workers do, one serves or begins at any time, every wait ends, and no upgrade is lost`() {
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
