import MetricFamilies
import RequestAuthorization

/// Finished requests by rule and by reason, since the start of the process.
public struct TrafficReport: Sendable, Hashable {
    /// Requests of one rule of the running configuration.
    public struct Rule: Sendable, Hashable {
        /// The resource's identifier. Empty for requests that are for no resource.
        public let resource: String
        /// The rule as the file has it. Empty for requests that match no rule.
        public let rule: String
        public internal(set) var requests: UInt64 = 0
        /// Answers with 5xx, of the gateway or of an upstream.
        public internal(set) var serverErrors: UInt64 = 0
        /// Requests that the gateway refused, by the status of its answer.
        public internal(set) var refusals: [Int: UInt64] = [:]
        /// Requests that the rule would have refused, were it not in observe mode.
        public internal(set) var observed: UInt64 = 0
        /// Requests that the file of `--shadow` would answer in another way.
        public internal(set) var shadowed: UInt64 = 0
        /// Duration in seconds that 95 % of the requests did not exceed. Nil if there were none.
        public internal(set) var percentile95: Double?
    }

    /// Requests that were refused for one reason.
    public struct Reason: Sendable, Hashable {
        public let label: String
        /// Status of the answer. Nil if the client left before it was complete.
        public let status: Int?
        public let count: UInt64
    }

    /// All rules in the order of the file. Requests without a rule or a resource are listed only if there were any.
    public let rules: [Rule]
    /// The largest count first.
    public let reasons: [Reason]

    /// Statuses of answers, by the label of their reason.
    private static let statuses = Dictionary(
        RejectionReason.allCases.map { ($0.label, $0.status) }, uniquingKeysWith: { first, _ in first })

    init(
        _ requests: borrowing RequestCounts, _ decisions: borrowing DecisionCounts, _ shadow: borrowing ShadowCounts,
        _ labels: RequestLabels
    ) {
        var table = RuleCounts()
        for (names, sum) in requests.sums.all { table.add(sum, names) }
        var counts: [String: UInt64] = [:]
        // Labels: resource, rule, issuer, reason.
        for (names, count) in decisions.finished.counts {
            guard let reason = names.last, !reason.isEmpty else { continue }
            counts[reason, default: 0] &+= count
            guard let status = Self.statuses[reason] else { continue }
            table.change(names) { $0.refusals[status, default: 0] &+= count }
        }
        for (names, count) in decisions.observed.counts { table.change(names) { $0.observed &+= count } }
        // Labels: resource, rule, reason, would.
        for (names, count) in shadow.differences.counts { table.change(names) { $0.shadowed &+= count } }
        rules = (0..<labels.rowCount).compactMap { row in
            let names = labels.names(ofRow: row)
            if let rule = table.rule([names.resource, names.rule]) { return rule }
            return names.rule.isEmpty ? nil : Rule(resource: names.resource, rule: names.rule)
        }
        reasons = counts.map { Reason(label: $0, status: Self.statuses[$0], count: $1) }
            .sorted { ($1.count, $0.label) < ($0.count, $1.label) }
    }
}

/// Counts of rules by the names of resource and rule.
private struct RuleCounts {
    private var rules: [[String]: (rule: TrafficReport.Rule, buckets: [UInt64])] = [:]

    /// Adds finished requests.
    ///
    /// - Parameter names: label values: resource, rule, class of the status.
    mutating func add(_ sum: SeriesSum, _ names: [String]) {
        let buckets = sum.buckets
        let count = buckets.reduce(0, &+)
        change(names) { rule in
            rule.requests &+= count
            if names.last == StatusClass.serverError.label { rule.serverErrors &+= count }
        }
        let key = Array(names.prefix(2))
        guard var all = rules[key]?.buckets else { return }
        if all.isEmpty { all = [UInt64](repeating: 0, count: buckets.count) }
        for (index, bucket) in zip(all.indices, buckets) { all[index] &+= bucket }
        rules[key]?.buckets = all
    }

    /// - Parameter names: label values, of which the first two are resource and rule.
    mutating func change(_ names: [String], _ change: (inout TrafficReport.Rule) -> Void) {
        let key = Array(names.prefix(2))
        guard let resource = key.first, let rule = key.last, key.count == 2 else { return }
        change(&rules[key, default: (TrafficReport.Rule(resource: resource, rule: rule), [])].rule)
    }

    /// The counts of a rule. Nil if there are none.
    func rule(_ key: [String]) -> TrafficReport.Rule? {
        guard let (rule, buckets) = rules[key] else { return nil }
        var whole = rule
        whole.percentile95 = HistogramQuantile.estimate(0.95, counts: buckets, bounds: DurationBuckets.secondBounds)
        return whole
    }
}
