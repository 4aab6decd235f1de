import TokenVerification

extension RouteTable {
    /// The rules that can never match, because more specific rules cover all their requests. For example `GET /a/*` if
    /// there is `GET /a/{x}`.
    ///
    /// Only certain cases are listed. A rule that is not listed may still never match.
    public var unreachableRules: [RuleIndex] {
        routes.indexed.filter { _, route in
            methods(of: route).allSatisfy { method in isShadowed(route.path, for: method) }
        }.map(\.index)
    }

    private func methods(of route: RoutePattern) -> [RouteTrie.Method] {
        switch route.methods {
        // Rules for single methods never cover all requests of an `ANY`.
        case .any: [.other]
        case .tokens(let tokens): tokens.compactMap { trie.method([UInt8]($0.utf8).span) }
        }
    }

    /// True if rules with more specific paths cover everything that the pattern covers, for one method.
    private func isShadowed(_ path: PathPattern, for method: RouteTrie.Method) -> Bool {
        var own = RouteTrie.root
        // Nodes that also cover the segments so far, and that a lookup tries before `own`.
        var better: [Int32] = []
        for segment in path.segments {
            if better.contains(where: { rest(of: $0, for: method) }) { return true }
            better = better.flatMap { covering(segment, below: $0) }
            if let child = named(segment, below: own) { better.append(child) }
            guard let child = trie.existingChild(of: own, over: segment) else { return false }
            own = child
        }
        guard path.coversRest else { return better.contains { end(of: $0, for: method) || rest(of: $0, for: method) } }
        return better.contains { coversAll(below: $0, for: method) } || coversAllWithoutRest(below: own, for: method)
            || isShadowed(tail: path.tail, below: own, beside: better, for: method)
    }

    /// True if patterns with as many segments behind `**` cover a tail.
    ///
    /// - Parameters:
    ///   - own: node of the segments before `**`.
    ///   - better: nodes that also cover these segments, and that a lookup tries before `own`.
    private func isShadowed(
        tail: [PathPattern.Segment], below own: Int32, beside better: [Int32], for method: RouteTrie.Method
    ) -> Bool {
        guard !tail.isEmpty, var own = trie.nodes[Int(own)].tails else { return false }
        var better = better.compactMap { trie.nodes[Int($0)].tails }
        // Behind `**`, segments are compared from the end of the path.
        for segment in tail.reversed() {
            better = better.flatMap { covering(segment, below: $0) }
            if let child = named(segment, below: own) { better.append(child) }
            guard let child = trie.existingChild(of: own, over: segment) else { return false }
            own = child
        }
        return better.contains { end(of: $0, for: method) }
    }

    /// The child over the same segment with a name instead of `*`, which a lookup tries first. Nil if there is none.
    private func named(_ segment: PathPattern.Segment, below node: Int32) -> Int32? {
        switch segment {
        case .wildcard: return trie.nodes[Int(node)].parameter
        case .partial(let segment) where segment.name == nil:
            let named = PartialSegment(prefix: segment.prefix, suffix: segment.suffix, name: "")
            return trie.existingChild(of: node, over: .partial(named))
        case .literal, .parameter, .partial: return nil
        }
    }

    /// The children of a node that cover every segment which a pattern's segment covers.
    private func covering(_ segment: PathPattern.Segment, below node: Int32) -> [Int32] {
        let edges = trie.nodes[Int(node)]
        var children = [edges.parameter, edges.wildcard].compactMap(\.self)
        switch segment {
        case .literal:
            if let child = trie.existingChild(of: node, over: segment) { children.append(child) }
        case .partial(let segment):
            let named = PartialSegment(prefix: segment.prefix, suffix: segment.suffix, name: "")
            let starred = PartialSegment(prefix: segment.prefix, suffix: segment.suffix, name: nil)
            children.append(
                contentsOf: [named, starred].compactMap { trie.existingChild(of: node, over: .partial($0)) })
        case .parameter, .wildcard: break
        }
        return children
    }

    private func coversAll(below node: Int32, for method: RouteTrie.Method) -> Bool {
        rest(of: node, for: method) || coversAllWithoutRest(below: node, for: method)
    }

    private func coversAllWithoutRest(below node: Int32, for method: RouteTrie.Method) -> Bool {
        let edges = trie.nodes[Int(node)]
        return end(of: node, for: method)
            && [edges.parameter, edges.wildcard].compactMap(\.self).contains { coversAll(below: $0, for: method) }
    }

    private func end(of node: Int32, for method: RouteTrie.Method) -> Bool {
        let edges = trie.nodes[Int(node)]
        return trie.rule(in: edges.end, for: method) != nil || trie.rule(in: edges.endWithSlash, for: method) != nil
    }

    private func rest(of node: Int32, for method: RouteTrie.Method) -> Bool {
        trie.rule(in: trie.nodes[Int(node)].rest, for: method) != nil
    }
}
