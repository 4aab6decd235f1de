import AccessControl
import RequestAuthorization

/// What the file of `--shadow` made of requests.
public struct ShadowFigures: Sendable, Hashable {
    public internal(set) var same: UInt64 = 0
    public internal(set) var different: UInt64 = 0
    /// What would have become of them could not be told.
    public internal(set) var unknown: UInt64 = 0
    public internal(set) var differences: [ShadowDifference: UInt64] = [:]
}

/// Requests of one rule of the file in force that would fare otherwise; every value comes from a file or a closed enum.
public struct ShadowDifference: Sendable, Hashable {
    /// The resource's identifier; empty where no resource matched.
    public let resource: String
    /// The rule as the file has it; empty where none matched.
    public let rule: String
    /// Why they are answered in force; empty: they are forwarded.
    public let reason: String
    /// What would be the reason; empty: they would be forwarded.
    public let would: String
}

/// One event loop's comparisons since they were last handed over.
struct ShadowTally {
    /// Indices instead of names, so that counting makes no text.
    private struct Key: Hashable {
        let generation: Int
        let row: Int
        let reason: RejectionReason?
        let would: Verdict
    }

    private var figures = ShadowFigures()
    private var counts: [Key: (difference: ShadowDifference, count: UInt64)] = [:]

    mutating func add(
        _ comparison: ShadowAuthorizer.Comparison, _ record: borrowing RequestRecord, from reason: RejectionReason?
    ) {
        switch comparison {
        case .same: figures.same &+= 1
        case .unknown: figures.unknown &+= 1
        case .different(let would):
            figures.different &+= 1
            let labels = record.configuration.labels
            let row = labels.row(record.facts?.rule, of: record.facts?.resource)
            let key = Key(generation: record.configuration.generation, row: row, reason: reason, would: would)
            let (resource, rule) = labels.names(ofRow: row)
            let difference = ShadowDifference(
                resource: resource, rule: rule, reason: reason?.label ?? "", would: would.label ?? "")
            counts[key, default: (difference, 0)].count &+= 1
        }
    }

    var isEmpty: Bool { figures == ShadowFigures() }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to sums: inout ShadowFigures) {
        sums.same &+= figures.same
        sums.different &+= figures.different
        sums.unknown &+= figures.unknown
        for entry in counts.values { sums.differences[entry.difference, default: 0] &+= entry.count }
        self = ShadowTally()
    }
}
