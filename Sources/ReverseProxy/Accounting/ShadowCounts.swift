import MetricFamilies
import RequestAuthorization

/// Requests that were compared with the file of `--shadow`, over all event loops.
struct ShadowCounts: ~Copyable, Sendable {
    enum Result: String, CaseIterable {
        case same, different, unknown
    }

    let results = CaseCounter<Result>()
    let differences = LabelledCounter(
        name: "bearward_shadow_differences_total", labels: ["resource", "rule", "reason", "would"],
        help:
            "Requests that the file of `--shadow` would answer otherwise, by the reason in force and the one that there would be."
    )

    /// - Parameter isUsed: whether there is such a file; without one there is no sample.
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

/// One event loop's comparisons since they were last handed over.
struct ShadowTally {
    private struct Key: Hashable {
        /// The generation whose row it is.
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

    /// Adds the counts to the sums, and begins anew.
    mutating func handOver(to counts: borrowing ShadowCounts) {
        counts.results.add(.same, same)
        counts.results.add(.different, different)
        counts.results.add(.unknown, unknown)
        differences.handOver(to: counts.differences)
        (same, different, unknown) = (0, 0, 0)
    }
}
