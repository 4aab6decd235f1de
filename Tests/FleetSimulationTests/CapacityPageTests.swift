import Foundation
import TestSupport
import Testing

/// `docs/capacity.md` contains what was measured and simulated.
@Suite struct CapacityPageTests {
    private static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../docs/capacity.md"
    ).standardized

    @Test(.slow, .enabled(if: FleetScale.asked == .ofPage, "the page is of another fleet"))
    func `docs/capacity.md has the figures of the benchmark and of the simulation`() async throws {
        let page = CapacityPage(
            figures: try CapacityFigures.recorded(), report: try await FleetReport.shared.value, scale: FleetScale.asked
        )
        let text = try page.text()
        if ProcessInfo.processInfo.environment["BEARWARD_WRITE_DOCS"] == "1" {
            try Data(text.utf8).write(to: Self.file)
        }
        let written = (try? String(contentsOf: Self.file, encoding: .utf8)) ?? ""
        #expect(written == text, "docs/capacity.md is not what was measured and simulated: make docs")
    }

    @Test func `the planned number of nodes is the smallest whose cores suffice`() {
        let plan = CapacityPlan(
            requests: 100_000, tokens: 36_000, lifetime: 3600, cores: 2, load: 0.5, known: 20, first: 50)
        #expect(plan.newTokens == 10 && plan.nodes == 3)
        #expect(plan.hitRate == 0.9997 && plan.rememberedTokens == 39_000)
        for (nodes, suffices) in [(3.0, true), (2.0, false)] {
            let spent = plan.requests * plan.known + nodes * plan.newTokens * plan.first
            #expect((spent <= nodes * plan.cores * plan.load * 1_000_000) == suffices)
        }
    }
}
