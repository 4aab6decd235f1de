import TokenVerification

/// Two rules that some request matches, although the order of segments does not say which of them it is for.
public struct AmbiguousRules: Hashable, Sendable {
    public let first: RuleIndex
    public let second: RuleIndex

    public init(first: RuleIndex, second: RuleIndex) {
        self.first = first
        self.second = second
    }
}

extension RouteTable {
    /// Finds pairs of rules without an order of specificity (`RoutePattern.isAmbiguous(beside:)`). A lookup prefers one
    /// of them, which is harmless only if both ask for the same.
    ///
    /// - Parameters:
    ///   - limit: most pairs to find.
    ///   - differ: true if the two rules ask for different things.
    public func ambiguousRules(limit: Int, where differ: (RuleIndex, RuleIndex) -> Bool) -> [AmbiguousRules] {
        var found: Set<AmbiguousRules> = []
        for group in groupsBeforeParts.values {
            for (position, second) in group.enumerated() {
                for first in group[..<position] where isAmbiguous(first, second) && differ(first, second) {
                    found.insert(AmbiguousRules(first: first, second: second))
                    guard found.count < limit else { return Self.sorted(found) }
                }
            }
        }
        return Self.sorted(found)
    }

    private static func sorted(_ rules: Set<AmbiguousRules>) -> [AmbiguousRules] {
        rules.sorted { ($0.second.rawValue, $0.first.rawValue) < ($1.second.rawValue, $1.first.rawValue) }
    }

    private func isAmbiguous(_ first: RuleIndex, _ second: RuleIndex) -> Bool {
        guard let first = routes[first], let second = routes[second] else { return false }
        return first.isAmbiguous(beside: second)
    }

    /// The rules that have the same segments before one with text beside a wildcard, or before `**` with a tail. Only
    /// those of one group can be ambiguous.
    private var groupsBeforeParts: [[PathPattern.Segment?]: [RuleIndex]] {
        var groups: [[PathPattern.Segment?]: [RuleIndex]] = [:]
        for (index, route) in routes.indexed where route.path.hasParts {
            let edges: [PathPattern.Segment?] = route.path.segments.map(\.edge)
            for (position, segment) in route.path.segments.enumerated() {
                if case .partial = segment { groups[Array(edges[..<position]), default: []].append(index) }
            }
            // Nil stands for `**`.
            if !route.path.tail.isEmpty { groups[edges + [nil], default: []].append(index) }
        }
        return groups
    }
}
