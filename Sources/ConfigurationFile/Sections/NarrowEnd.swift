import AccessControl

/// Rule whose path ends with a slash or `*` (`/lines/`, `/*`, `/v*`), while a rule with other requirements covers
/// everything below it. Other programs would apply the first rule there too.
struct NarrowEnd {
    /// Rule that covers the paths below.
    private let wider: ResourceRules.Rule
    private let rule: ResourceRules.Rule

    /// Checks a rule. Nil unless its path ends with a slash or `*`, no other rule is written for paths below it, and a
    /// rule with other requirements covers those paths. Nil for a public rule, too: paths below it are then refused.
    init?(_ rule: ResourceRules.Rule, among rules: some Sequence<ResourceRules.Rule>) {
        // A public rule that covers less than it seems to is not dangerous: the rest is refused.
        guard rule.route.path.endsNarrowly, let policy = rule.policy, policy != .public else { return nil }
        let shared = rules.filter { $0.route.methods.overlaps(rule.route.methods) }
        guard !shared.contains(where: { $0.route.path.isBelow(rule.route.path) }) else { return nil }
        let wider = shared.filter {
            $0.route.path.coversAll(below: rule.route.path) && $0.policy != nil && $0.policy != policy
        }
        guard let nearest = wider.max(by: { $0.route.path.segmentCount < $1.route.path.segmentCount }) else {
            return nil
        }
        self.wider = nearest
        self.rule = rule
    }

    private var endsWithStar: Bool { rule.route.path.segments.last?.endsWithStar == true }

    var message: String {
        "this is one \(endsWithStar ? "segment" : "path"), and all below it is for `\(wider.member.key)`"
    }

    var hint: String {
        guard endsWithStar, let star = rule.member.key.lastIndex(of: "*") else {
            return "write `\(rule.member.key)**` for all below"
        }
        let beginning = rule.member.key[..<star]
        guard beginning.hasSuffix("/") else {
            return "write a rule `\(rule.member.key)/**` too, or `\(beginning){name}` for one segment"
        }
        return "write `\(beginning)**` for all below, or `\(beginning){name}` for one segment"
    }
}

extension MethodPattern {
    fileprivate func overlaps(_ other: MethodPattern) -> Bool {
        self == .any || other == .any || !Set(tokens).isDisjoint(with: other.tokens)
    }
}

extension PathPattern {
    var endsNarrowly: Bool { !coversRest && (trailingSlash || segments.last?.endsWithStar == true) }

    /// True if this path begins with the segments of the other one and continues. A path with `**` may have it in place
    /// of a final `*`.
    fileprivate func isBelow(_ path: PathPattern) -> Bool {
        let fixed = path.segments.last == .wildcard ? path.segments.count - 1 : path.segments.count
        guard coversRest ? segments.count >= fixed : segments.count > path.segments.count else { return false }
        return zip(segments, path.segments).allSatisfy { own, other in
            own.isWhole ? other.isWhole : own.edge == other.edge
        }
    }

    /// True if this path matches every path that begins with the segments of the other one.
    fileprivate func coversAll(below path: PathPattern) -> Bool {
        guard coversRest, tail.isEmpty, segments.count <= path.segments.count else { return false }
        return zip(segments, path.segments).allSatisfy { $0.contains($1) }
    }
}

extension PathPattern.Segment {
    /// True for a whole segment of any text: `{name}` or `*`.
    fileprivate var isWhole: Bool {
        switch self {
        case .parameter, .wildcard: true
        case .literal, .partial: false
        }
    }

    fileprivate var endsWithStar: Bool {
        switch self {
        case .wildcard: true
        case .partial(let segment): segment.name == nil && segment.suffix.isEmpty
        case .literal, .parameter: false
        }
    }
}
