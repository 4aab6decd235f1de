import MetricFamilies
import RequestAuthorization

/// Numbers of requests to which the file of `--shadow` gives the same, a different or an unknown verdict, summed over
/// all event loops.
struct ShadowCounts: ~Copyable, Sendable {
    enum Result: String, CaseIterable {
        case same, different, unknown
    }

    let results = CaseCounter<Result>()
    let differences = LabelledCounter(
        name: "bearward_shadow_differences_total", labels: ["resource", "rule", "reason", "would"],
        help:
            "Requests with a different verdict under the `--shadow` file, by current reason and shadow reason."
    )

    /// - Parameter isUsed: True if there is such a file. Without one there are no samples.
    func families(isUsed: Bool) -> [MetricFamily] {
        [
            .counter(
                "bearward_shadow_requests_total",
                "Requests that were compared with the file of `--shadow`, by whether it would answer the same.",
                isUsed ? results.samples("verdict") : []),
            differences.family,
        ]
    }
}

/// Comparisons of one event loop since the last hand-over.
struct ShadowTally {
    private struct Key: Hashable {
        /// Configuration generation that the row belongs to.
        let generation: Int
        let row: Int
        let reason: RejectionReason?
        let would: Verdict

        func values(_ labels: RequestLabels) -> [String] {
            let names = labels.names(ofRow: row)
            return [names.resource, names.rule, reason?.label ?? "", would.label ?? ""]
        }
    }

    private var same: UInt64 = 0
    private var different: UInt64 = 0
    private var unknown: UInt64 = 0
    private var differences = LabelledTally<Key>()

    mutating func add(
        _ comparison: ShadowAuthorizer.Comparison, _ record: borrowing RequestRecord, from reason: RejectionReason?
    ) {
        switch comparison {
        case .same: same &+= 1
        case .unknown: unknown &+= 1
        case .different(let would):
            different &+= 1
            let labels = record.configuration.labels
            let row = labels.row(record.facts?.rule, of: record.facts?.resource)
            let key = Key(generation: record.configuration.generation, row: row, reason: reason, would: would)
            differences.add(key, key.values(labels))
        }
    }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to counts: borrowing ShadowCounts) {
        counts.results.add(.same, same)
        counts.results.add(.different, different)
        counts.results.add(.unknown, unknown)
        differences.handOver(to: counts.differences)
        (same, different, unknown) = (0, 0, 0)
    }
}
