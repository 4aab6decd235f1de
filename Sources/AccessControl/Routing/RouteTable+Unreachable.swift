import TokenVerification

extension RouteTable {
    /// The rules that can never match, because more specific ones take all their requests: `GET /a/*` beside `GET
    /// /a/{x}`.
    ///
    /// Only what is certain is listed; that a rule is missing here does not prove that it can match.
    public var unreachableRules: [RuleIndex] {
        routes.indexed.filter { _, route in
            methods(of: route).allSatisfy { method in isShadowed(route.path, for: method) }
        }.map(\.index)
    }

    private func methods(of route: RoutePattern) -> [RouteTrie.Method] {
        switch route.methods {
        // Single methods, however many, never take all requests of an `ANY`.
        case .any: [.other]
        case .tokens(let tokens): tokens.compactMap { trie.method([UInt8]($0.utf8).span) }
        }
    }

    /// Whether rules for more specific paths cover everything that a pattern covers, for one method.
    private func isShadowed(_ path: PathPattern, for method: RouteTrie.Method) -> Bool {
        var own = RouteTrie.root
        // Nodes that also cover what has been walked over, and that a lookup tries before `own`.
        var better: [Int32] = []
        for segment in path.segments {
            if better.contains(where: { rest(of: $0, for: method) }) { return true }
            better = better.flatMap { covering(segment, below: $0) }
            if segment == .wildcard, let child = trie.nodes[Int(own)].parameter { better.append(child) }
            guard let child = trie.existingChild(of: own, over: segment) else { return false }
            own = child
        }
        guard path.coversRest else { return better.contains { end(of: $0, for: method) || rest(of: $0, for: method) } }
        return better.contains { coversAll(below: $0, for: method) } || coversAllWithoutRest(below: own, for: method)
    }

    /// The nodes below one that cover every segment which a pattern's segment covers.
    private func covering(_ segment: PathPattern.Segment, below node: Int32) -> [Int32] {
        let edges = trie.nodes[Int(node)]
        var children = [edges.parameter, edges.wildcard].compactMap(\.self)
        if case .literal = segment, let child = trie.existingChild(of: node, over: segment) { children.append(child) }
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
