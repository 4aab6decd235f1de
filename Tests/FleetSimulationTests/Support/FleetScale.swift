import Foundation
import TestSupport

/// Size of the simulated fleet: small in the quick tests, that of the page in the full tests, or set by
/// `BEARWARD_NODES`, `BEARWARD_RATE` and `BEARWARD_SEED`.
struct FleetScale: Sendable, Hashable {
    var nodes: Int
    /// Requests per second at all nodes together.
    var rate: Int64
    var seed: UInt64

    static let ofPage = FleetScale(nodes: 25, rate: 1_000_000, seed: 20)
    /// Small fleet that takes a fifth of the time, with the same bounds.
    private static let small = FleetScale(nodes: 5, rate: 200_000, seed: 20)

    static let asked: FleetScale = {
        let environment = ProcessInfo.processInfo.environment
        let isAsked = ["BEARWARD_NODES", "BEARWARD_RATE", "BEARWARD_SEED"].contains { environment[$0] != nil }
        let usual = Effort.isFull || isAsked ? ofPage : small
        return FleetScale(
            nodes: environment["BEARWARD_NODES"].flatMap { Int($0) } ?? usual.nodes,
            rate: environment["BEARWARD_RATE"].flatMap { Int64($0) } ?? usual.rate,
            seed: environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? usual.seed)
    }()

    /// Requests per second at one node.
    var rateOfNode: Int64 { rate / Int64(nodes) }
}
