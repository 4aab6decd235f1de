/// Count of the nodes that a lookup visits, for tests of its bound.
protocol LookupVisits {
    mutating func visit()
}

/// Visits that are not counted. The compiler removes the calls.
struct NoVisits: LookupVisits {
    @inline(__always)
    mutating func visit() {}
}

/// The next segment that a lookup compares, from the left before `**` and from the right behind it.
struct SegmentCursor {
    let index: Int
    /// Number of segments that are not compared yet.
    let left: Int
    private let step: Int

    /// Begins at a segment, from left to right.
    init(of path: RequestPath, from first: Int) {
        self.init(index: first, left: max(0, path.segmentCount &- first), step: 1)
    }

    private init(index: Int, left: Int, step: Int) {
        self.index = index
        self.left = left
        self.step = step
    }

    /// True if the rest of the path belongs to a `**`, so that the pattern may end at any segment.
    var isBehindRest: Bool { step < 0 }

    var next: SegmentCursor { SegmentCursor(index: index &+ step, left: left &- 1, step: step) }

    /// The same segments from the end of the path.
    var fromEnd: SegmentCursor { SegmentCursor(index: index &+ left &- 1, left: left, step: -1) }
}

extension RouteTable {
    /// Finds the rule below a node. Nil if none matches.
    ///
    /// Each node is reached in one way only, so a lookup visits it at most once, whatever the path. At each node it
    /// compares one segment with each distinct pair of lengths of literal parts. The longest pattern bounds the depth.
    func rule(
        below node: Int32,
        over cursor: SegmentCursor,
        of path: RequestPath,
        in form: RouteTrie.Form,
        for method: RouteTrie.Method,
        _ visits: inout some LookupVisits,
    ) -> Int? {
        visits.visit()
        let edges = trie.nodes[Int(node)]
        guard cursor.left > 0 else {
            return trie.rule(atEnd: edges, in: form, for: method) ?? trie.rule(in: edges.rest, for: method)
        }
        if edges.hasLiterals, let child = path.child(of: node, over: cursor.index, in: trie.literals),
            let rule = rule(below: child, over: cursor.next, of: path, in: form, for: method, &visits)
        {
            return rule
        }
        if let list = edges.partials,
            let rule = rule(overPartials: list, at: cursor, of: path, in: form, for: method, &visits)
        {
            return rule
        }
        if let child = edges.parameter,
            let rule = rule(below: child, over: cursor.next, of: path, in: form, for: method, &visits)
        {
            return rule
        }
        if let child = edges.wildcard,
            let rule = rule(below: child, over: cursor.next, of: path, in: form, for: method, &visits)
        {
            return rule
        }
        if cursor.isBehindRest { return trie.rule(atEnd: edges, in: form, for: method) }
        if let root = edges.tails,
            let rule = rule(below: root, over: cursor.fromEnd, of: path, in: form, for: method, &visits)
        {
            return rule
        }
        return trie.rule(in: edges.rest, for: method)
    }

    private func rule(
        overPartials list: Int32,
        at cursor: SegmentCursor,
        of path: RequestPath,
        in form: RouteTrie.Form,
        for method: RouteTrie.Method,
        _ visits: inout some LookupVisits,
    ) -> Int? {
        for shape in trie.partials.shapes(of: list) {
            guard let children = path.children(over: cursor.index, shape, in: trie.partials) else { continue }
            if let child = children.parameter,
                let rule = rule(below: child, over: cursor.next, of: path, in: form, for: method, &visits)
            {
                return rule
            }
            if let child = children.wildcard,
                let rule = rule(below: child, over: cursor.next, of: path, in: form, for: method, &visits)
            {
                return rule
            }
        }
        return nil
    }
}
