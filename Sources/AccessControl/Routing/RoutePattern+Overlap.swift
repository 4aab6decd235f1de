extension RoutePattern {
    /// False if no request can match both patterns. True does not prove that one can.
    public func mayOverlap(_ other: RoutePattern) -> Bool {
        // Most pairs differ in their paths, and comparing those is cheaper.
        path.mayOverlap(other.path) && methods.mayOverlap(other.methods)
    }

    /// True if some request matches both patterns, and the order of segments does not say which is more specific.
    ///
    /// The first segments in which they differ then share a text but neither contains the other, like `v*` and `*.css`.
    /// Or this is so of the segments behind `**`, like `/**/{x}/b` and `/**/a/*`.
    public func isAmbiguous(beside other: RoutePattern) -> Bool {
        path.isAmbiguous(beside: other.path) && mayOverlap(other)
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
    public func mayOverlap(_ other: PathPattern) -> Bool {
        guard coversRest || other.segmentCount <= segmentCount, other.coversRest || segmentCount <= other.segmentCount,
            zip(segments, other.segments).allSatisfy({ $0.mayOverlap($1) })
        else { return false }
        // Without `**`, the segments count from both ends.
        let (ends, others) = (coversRest ? tail : segments, other.coversRest ? other.tail : other.segments)
        return zip(ends.reversed(), others.reversed()).allSatisfy { $0.mayOverlap($1) }
    }

    /// True if the order of segments does not say which pattern is more specific, provided that they overlap.
    fileprivate func isAmbiguous(beside other: PathPattern) -> Bool {
        for (own, other) in zip(segments, other.segments) where own.edge != other.edge { return own.crosses(other) }
        guard segments.count == other.segments.count, !tail.isEmpty, !other.tail.isEmpty else { return false }
        return !Self.contains(tail, other.tail) && !Self.contains(other.tail, tail)
    }

    /// True if every path that ends with the other segments also ends with these.
    private static func contains(_ tail: [Segment], _ other: [Segment]) -> Bool {
        tail.count <= other.count && zip(tail.reversed(), other.reversed()).allSatisfy { $0.contains($1) }
    }
}

extension PathPattern.Segment {
    /// The segment without its name. Segments with equal edges lead to one node of a table.
    public var edge: Self {
        switch self {
        case .literal, .wildcard: self
        case .parameter: .parameter("")
        case .partial(let segment):
            .partial(
                PartialSegment(prefix: segment.prefix, suffix: segment.suffix, name: segment.name == nil ? nil : ""))
        }
    }

    /// True if this segment matches all text that the other one matches.
    public func contains(_ other: Self) -> Bool {
        switch (self, other) {
        case (.parameter, _), (.wildcard, _): true
        case (.literal(let own), .literal(let other)): own == other
        case (.partial(let own), .literal(let other)): own.matches(other)
        case (.partial(let own), .partial(let other)): own.contains(other)
        case (.literal, _), (.partial, _): false
        }
    }

    fileprivate func mayOverlap(_ other: Self) -> Bool {
        switch (self, other) {
        case (.partial(let own), .partial(let other)): own.common(with: other) != nil
        default: contains(other) || other.contains(self)
        }
    }

    fileprivate func crosses(_ other: Self) -> Bool {
        guard case .partial(let own) = self, case .partial(let other) = other else { return false }
        return own.crosses(other)
    }
}
