import AccessControl
import RequestAuthorization
import TokenVerification

/// Finished requests by resource, rule, issuer and reason, summed over all event loops.
struct DecisionCounts: ~Copyable, Sendable {
    private static let labels: [StaticString] = ["resource", "rule", "issuer", "reason"]
    /// Reason label of a request whose client left, or was too slow, before its answer was complete.
    static let clientGone = "client_gone"

    let finished = LabelledCounter(
        name: "bearward_decisions_total", labels: labels,
        help:
            "Finished requests by resource, rule, issuer and reason; the reason is empty for a request that was forwarded and answered."
    )
    let observed = LabelledCounter(
        name: "bearward_observed_refusals_total", labels: labels,
        help:
            "Requests forwarded only because their rule is in observe mode, by the reason for which it would refuse them."
    )
}

/// Finished requests of one event loop since the last hand-over.
struct DecisionTally {
    private struct Key: Hashable {
        /// Configuration generation that the indices belong to.
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
    /// Requests that were forwarded only because their rule is in observe mode, by the reason for which it would
    /// refuse.
    private var observed = LabelledTally<Key>()

    mutating func add(_ record: borrowing RequestRecord) {
        let key = Key(record, record.reason, isCutOff: record.isCutOff)
        finished.add(key, key.values(record.configuration.labels))
        guard let would = record.facts?.would else { return }
        let refusal = Key(record, would, isCutOff: false)
        observed.add(refusal, refusal.values(record.configuration.labels))
    }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to counts: borrowing DecisionCounts) {
        finished.handOver(to: counts.finished)
        observed.handOver(to: counts.observed)
    }
}
