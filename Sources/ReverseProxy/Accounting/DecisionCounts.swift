import AccessControl
import RequestAuthorization
import TokenVerification

/// Requests that ended, by resource, rule, issuer and reason, over all event loops.
struct DecisionCounts: ~Copyable, Sendable {
    private static let labels: [StaticString] = ["resource", "rule", "issuer", "reason"]
    /// Reason of a request whose client went away, or was too late, before its answer was complete.
    static let clientGone = "client_gone"

    let finished = LabelledCounter(
        name: "bearward_decisions_total", labels: labels,
        help:
            "Finished requests by resource, rule, issuer and reason; the reason is empty for a request that was answered as it should be."
    )
    let observed = LabelledCounter(
        name: "bearward_observed_refusals_total", labels: labels,
        help:
            "Requests that were forwarded because their rule is only observed, by the reason that they would have been refused for."
    )
}

/// One event loop's requests since they were last handed over.
struct DecisionTally {
    private struct Key: Hashable {
        /// The generation whose indices these are.
        let generation: Int
        let resource: ResourceIndex?
        let rule: RuleIndex?
        let issuer: IssuerIndex?
        let reason: RejectionReason?
        let isCutOff: Bool

        init(_ record: borrowing RequestRecord, _ reason: RejectionReason?, isCutOff: Bool) {
            generation = record.configuration.generation
            (resource, rule, issuer) = (record.facts?.resource, record.facts?.rule, record.facts?.issuer)
            (self.reason, self.isCutOff) = (reason, isCutOff)
        }

        func values(_ labels: RequestLabels) -> [String] {
            let (resource, rule) = labels.names(rule, of: resource)
            let issuer = labels.issuer(issuer).map { String(decoding: $0, as: UTF8.self) }
            return [resource, rule, issuer ?? "", reason?.label ?? (isCutOff ? DecisionCounts.clientGone : "")]
        }
    }

    private var finished = LabelledTally<Key>()
    /// Requests that were forwarded because their rules are only observed, by what they would be refused for.
    private var observed = LabelledTally<Key>()

    mutating func add(_ record: borrowing RequestRecord) {
        let key = Key(record, record.reason, isCutOff: record.isCutOff)
        finished.add(key, key.values(record.configuration.labels))
        guard let would = record.facts?.would else { return }
        let refusal = Key(record, would, isCutOff: false)
        observed.add(refusal, refusal.values(record.configuration.labels))
    }

    /// Adds the counts to the sums, and begins anew.
    mutating func handOver(to counts: borrowing DecisionCounts) {
        finished.handOver(to: counts.finished)
        observed.handOver(to: counts.observed)
    }
}
