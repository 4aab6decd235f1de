import Foundation

/// How large the simulated fleet is: the one of the page, unless `BEARWARD_NODES` and `BEARWARD_RATE` ask for another.
///
/// What is simulated costs by nodes and events and not by requests, so that the fleet of the page is that of the regular run.
struct FleetScale: Sendable, Hashable {
    var nodes: Int
    /// In a second, at all nodes together.
    var rate: Int64
    var seed: UInt64

    static let ofPage = FleetScale(nodes: 25, rate: 1_000_000, seed: 20)

    static let asked: FleetScale = {
        let environment = ProcessInfo.processInfo.environment
        return FleetScale(
            nodes: environment["BEARWARD_NODES"].flatMap { Int($0) } ?? ofPage.nodes,
            rate: environment["BEARWARD_RATE"].flatMap { Int64($0) } ?? ofPage.rate,
            seed: environment["BEARWARD_SEED"].flatMap { UInt64($0) } ?? ofPage.seed)
    }()

    /// In a second, at one node.
    var rateOfNode: Int64 { rate / Int64(nodes) }
}
