import AccessControl
import ConfigurationFile
import ProxySettings
import RequestAuthorization
import TokenVerification

/// The differences found so far: each finding only once for each pair of rules.
struct FoundDifferences {
    /// The rules that a request matches in both configurations.
    struct Pair: Hashable {
        let old: RuleKey
        let new: RuleKey
    }

    /// A kind of difference that a request can show for a pair of rules.
    enum Finding: Hashable {
        case nowAllowed
        case nowRefused
        case changed(Difference.Aspect)
    }

    private let old: Configuration
    private let new: Configuration
    private var findings: [Pair: Set<Finding>] = [:]
    private(set) var differences: [Difference] = []

    init(_ old: Configuration, _ new: Configuration) {
        (self.old, self.new) = (old, new)
    }

    func has(_ finding: Finding, of pair: Pair) -> Bool { findings[pair]?.contains(finding) ?? false }

    /// Keeps a request if it shows a finding that no earlier request showed for the same pair of rules.
    mutating func note(_ witness: Witness, _ before: JudgedRequest, _ after: JudgedRequest) {
        let pair = Pair(
            old: RuleKey(resource: before.resource, rule: before.rule),
            new: RuleKey(resource: after.resource, rule: after.rule))
        switch (before.forwarded, after.forwarded) {
        case (nil, nil): return
        case (nil, _?): keep(.nowAllowed, [.nowAllowed], [], pair, witness, before, after)
        case (_?, nil): keep(.nowRefused, [.nowRefused], [], pair, witness, before, after)
        case (let old?, let new?):
            let changes = old.changes(to: new)
            keep(.goesElsewhere, changes.map { .changed($0.aspect) }, changes, pair, witness, before, after)
        }
    }

    private mutating func keep(
        _ kind: Difference.Kind, _ shown: [Finding], _ changes: [Difference.Change], _ pair: Pair, _ witness: Witness,
        _ before: JudgedRequest, _ after: JudgedRequest
    ) {
        guard !shown.allSatisfy({ has($0, of: pair) }) else { return }
        findings[pair, default: []].formUnion(shown)
        differences.append(
            Difference(
                kind: kind, witness: witness, old: old.answer(before), new: new.answer(after), changes: changes))
    }
}

extension Configuration {
    fileprivate func answer(_ verdict: JudgedRequest) -> Difference.Answer {
        let resource = verdict.resource.flatMap { resources[$0] }
        let rule = verdict.rule.flatMap { resource?.rules[$0] }
        return Difference.Answer(
            status: verdict.reason?.status ?? 200, reason: verdict.reason?.label, would: verdict.would?.label,
            resource: resource?.terms.identifier, rule: rule?.name, place: rule?.place ?? resource?.place,
            upstream: verdict.forwarded?.upstream ?? [])
    }
}
