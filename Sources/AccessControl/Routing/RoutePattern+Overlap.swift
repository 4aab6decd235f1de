extension RoutePattern {
    /// False if no request can match both patterns. True does not prove that one can.
    public func mayOverlap(_ other: RoutePattern) -> Bool {
        // Most pairs differ in their paths, and comparing those is cheaper.
        path.mayOverlap(other.path) && methods.mayOverlap(other.methods)
    }
}

extension MethodPattern {
    fileprivate func mayOverlap(_ other: MethodPattern) -> Bool {
        guard case .tokens = self, case .tokens = other else { return true }
        return !coveredMethods.isDisjoint(with: other.coveredMethods)
    }

    /// The named methods, and HEAD if GET is named: a rule for GET also covers HEAD.
    private var coveredMethods: Set<String> { Set(tokens).union(tokens.contains("GET") ? ["HEAD"] : []) }
}

extension PathPattern {
    /// True if some path may match both patterns. A trailing slash is ignored.
    fileprivate func mayOverlap(_ other: PathPattern) -> Bool {
        if segments.count < other.segments.count, !coversRest { return false }
        if segments.count > other.segments.count, !other.coversRest { return false }
        return zip(segments, other.segments).allSatisfy { first, second in
            guard case .literal(let first) = first, case .literal(let second) = second else { return true }
            return first == second
        }
    }
}
