import AccessControl
import TokenVerification

/// Problems of rules that match a part of a segment (`{id}:cancel`, `*.css`) or segments behind `**`.
struct PartsOfSegments {
    private let rules: IndexedBy<RuleIndex, ResourceRules.Rule>
    private let table: RouteTable
    /// Most rules that are reported at once.
    private let limit: Int

    /// - Returns: nil if two rules conflict, which is reported elsewhere.
    init?(of rules: ResourceRules, limit: Int) {
        guard let table = rules.table else { return nil }
        self.rules = rules.rules
        self.table = table
        self.limit = limit
    }

    func report() {
        reportAmbiguous()
        reportStrippedEnds()
    }

    /// Reports rules of which none is more specific, unless both ask for the same.
    private func reportAmbiguous() {
        for pair in table.ambiguousRules(limit: limit, where: differ) {
            guard let first = rules[pair.first]?.member, let second = rules[pair.second]?.member else { continue }
            second.reportKey(
                "a path may match this rule and `\(first.key)` at \(first.value.keyPosition), and none is more specific",
                hint: "write the same in both, or a rule for the paths of both")
        }
    }

    private func differ(_ first: RuleIndex, _ second: RuleIndex) -> Bool {
        guard let first = rules[first], let second = rules[second], let policy = first.policy else { return false }
        guard let other = second.policy else { return false }
        return policy != other || first.quotas != second.quotas || first.mode != second.mode
            || first.maintenance != second.maintenance || first.bounds != second.bounds
            || first.responseEdits != second.responseEdits
    }

    /// Reports rules without a token whose path is one of a stricter rule with something added to its end.
    private func reportStrippedEnds() {
        let ends = table.strippedEnds(
            limit: limit, isOpen: { rules[$0]?.policy?.isOpen == true },
            isStricter: { rules[$0]?.policy?.isOpen == false })
        for end in ends {
            guard let open = rules[end.rule]?.member, let stricter = rules[end.stricter]?.member else { continue }
            open.reportKey(
                "this rule opens `\(end.path)`, and `\(end.stripped)` is for `\(stricter.key)`: "
                    + "a server that ignores such an end serves what that rule protects",
                hint: "open a path of its own, such as `GET /static/**`, or ask for a token here")
        }
    }
}

extension AccessPolicy {
    /// True if requests without a token are permitted.
    fileprivate var isOpen: Bool { self == .public || permitsAnonymous }
}
