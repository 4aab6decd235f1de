extension RoutePattern {
    /// Whether some request may be matched by both. An answer of "no" is certain; "yes" may be wrong.
    public func mayOverlap(_ other: RoutePattern) -> Bool {
        // Most are told apart by their paths, which costs less.
        path.mayOverlap(other.path) && methods.mayOverlap(other.methods)
    }
}

extension MethodPattern {
    fileprivate func mayOverlap(_ other: MethodPattern) -> Bool {
        guard case .tokens = self, case .tokens = other else { return true }
        return !coveredMethods.isDisjoint(with: other.coveredMethods)
    }

    /// `GET` stands in for HEAD.
    private var coveredMethods: Set<String> { Set(tokens).union(tokens.contains("GET") ? ["HEAD"] : []) }
}

extension PathPattern {
    /// A slash at the end is not looked at.
    fileprivate func mayOverlap(_ other: PathPattern) -> Bool {
        if segments.count < other.segments.count, !coversRest { return false }
        if segments.count > other.segments.count, !other.coversRest { return false }
        return zip(segments, other.segments).allSatisfy { first, second in
            guard case .literal(let first) = first, case .literal(let second) = second else { return true }
            return first == second
        }
    }
}
