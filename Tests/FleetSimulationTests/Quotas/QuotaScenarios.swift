import Callers
import Quotas

/// Scenarios of a quota while the store of its counts is unreachable.
enum QuotaScenarios {
    private static let second = VirtualTime.second
    static let (begin, finish, end) = (10 * second, 70 * second, 80 * second)
    /// Requests per second, and burst.
    static let rate = 50

    static func quota(_ whenUnreachable: Quota.WhenUnreachable) -> Quota {
        Quota(
            name: "q", by: .attribute(.subject), rate: QuotaRate(requests: rate, period: .seconds(1)),
            whenUnreachable: whenUnreachable)
    }

    struct Result: Hashable {
        let outcome: FleetOutcome
        let tally: Tally
        let permittedByReference: Int64
        let longestWait: Int64
    }

    private static func result(
        _ name: String, _ scale: FleetScale, _ quota: Quota, rates: [Int64], processes: Int,
        _ outage: QuotaFleet.Outage = .killed
    ) throws -> Result {
        let fleet = try QuotaFleet(
            scale, quota, rates: rates, processes: processes, outage, from: begin, to: finish, until: end)
        fleet.run()
        let (forwarded, permitted) = (fleet.tally.forwarded, fleet.permittedByReference)
        let outcome = FleetOutcome(
            name: name, good: permitted, goodRefused: max(0, permitted - forwarded),
            badForwarded: max(0, forwarded - permitted),
            converged: fleet.lastConnected - finish)
        return Result(
            outcome: outcome, tally: fleet.tally, permittedByReference: permitted, longestWait: fleet.longestWait)
    }

    /// Rates of a caller that sends two and a half times its quota, evenly to all nodes.
    private static func spread(_ scale: FleetScale) -> [Int64] {
        let all = rate * 5 / 2
        return (0..<scale.nodes).map { Int64(all / scale.nodes + ($0 < all % scale.nodes ? 1 : 0)) }
    }

    static func local(_ scale: FleetScale, _ outage: QuotaFleet.Outage = .killed) throws -> Result {
        let name = "Redis \(outage == .silent ? "silent" : "killed") for a minute, `local`, `nodes` as there are"
        return try result(name, scale, quota(.local), rates: spread(scale), processes: scale.nodes, outage)
    }

    static func localWithoutNodes(_ scale: FleetScale) throws -> Result {
        let name = "Redis killed for a minute, `local`, `nodes` left at 1"
        return try result(name, scale, quota(.local), rates: spread(scale), processes: 1)
    }

    /// A caller that stays within its quota, through one node.
    static func localAtOneNode(_ scale: FleetScale) throws -> Result {
        let rates = [Int64(rate) * 4 / 5] + [Int64](repeating: 0, count: scale.nodes - 1)
        let name = "Redis killed for a minute, `local`; a caller of four fifths of its quota, all at one node"
        return try result(name, scale, quota(.local), rates: rates, processes: scale.nodes)
    }

    static func refuse(_ scale: FleetScale) throws -> Result {
        try result(
            "Redis killed for a minute, `refuse`", scale, quota(.refuse), rates: spread(scale), processes: scale.nodes)
    }
}
