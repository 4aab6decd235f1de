import Foundation
import TestSupport

/// How large the simulated fleet is: the one of the page, unless `BEARWARD_NODES` and `BEARWARD_RATE` ask for another.
///
/// What is simulated costs by nodes and events and not by requests, so that the fleet of the page is that of the regular run.
struct FleetScale: Sendable, Hashable {
    var nodes: Int
    /// In a second, at all nodes together.
    var rate: Int64
    var seed: UInt64

    static let ofPage = FleetScale(nodes: 25, rate: 1_000_000, seed: 20)
    /// Takes a fifth of the time, in the same bounds.
    private static let small = FleetScale(nodes: 5, rate: 200_000, seed: 20)

    /// That of the page among all tests, a small one among the quick ones, or another that the environment names.
    static let asked: FleetScale = {
        let usual = Effort.isFull ? ofPage : small
        let environment = ProcessInfo.processInfo.environment
        return FleetScale(
            nodes: environment["BEARWARD_NODES"].flatMap { Int($0) } ?? usual.nodes,
            rate: environment["BEARWARD_RATE"].flatMap { Int64($0) } ?? usual.rate,
            seed: environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? usual.seed)
    }()

    /// In a second, at one node.
    var rateOfNode: Int64 { rate / Int64(nodes) }
}
