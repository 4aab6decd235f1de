import Testing

@testable import Administration

/// Commands to drain a target, as a query has them.
struct TargetChangeTests {
    private func change(_ parameters: [String: String]) -> TargetChange? {
        TargetChange(isDrained: true) { parameters[$0] }
    }

    @Test func `a query drains a target, of one upstream or of all`() {
        #expect(
            change(["target": "10.0.0.7:9000"])
                == TargetChange(target: "10.0.0.7:9000", resource: nil, path: nil, isDrained: true))
        #expect(
            change(["target": "a:1", "resource": "orders", "path": "/x"])
                == TargetChange(target: "a:1", resource: "orders", path: "/x", isDrained: true))
    }

    @Test func `a query without a target is no command`() {
        #expect(change([:]) == nil)
        #expect(change(["target": "", "resource": "orders"]) == nil)
    }
}
