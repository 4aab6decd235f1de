import TokenVerification

/// Two rules that cannot be told apart: they share a method on paths of the same shape, as `{a}` and `{b}` in the same
/// position are.
public struct RouteConflict: Error, Hashable, Sendable {
    public let first: RuleIndex
    public let second: RuleIndex

    public init(first: RuleIndex, second: RuleIndex) {
        self.first = first
        self.second = second
    }

    init(_ first: Int32, _ second: Int32) {
        self.init(first: RuleIndex(Int(first)), second: RuleIndex(Int(second)))
    }
}

/// The rules of a resource, compiled: which one a request falls under.
///
/// The rules are a trie over path segments. A lookup tries edges from the most specific to the least, segment by
/// segment from the left: literal, `{name}`, `*`, `**`. A path without a rule for the method falls back to the next.
/// All literal edges are in one hash table, so that a lookup costs the same for ten rules and for a hundred thousand,
/// and none allocates.
///
/// The order of the rules never matters. A segment is matched without its path parameters. A class, so that all
/// requests share one table.
public final class RouteTable: Sendable {
    /// The rules as they were given; `RouteMatch.ruleIndex` counts them.
    public let routes: IndexedBy<RuleIndex, RoutePattern>

    let trie: RouteTrie
    /// Methods that rules name, in ascending order.
    private let namedMethods: [String]

    /// A table without rules, which permits nothing.
    public init() {
        routes = []
        trie = RouteTrie()
        namedMethods = []
    }

    /// Compiles rules.
    public init(_ routes: [RoutePattern]) throws(RouteConflict) {
        var trie = RouteTrie()
        for (index, route) in routes.enumerated() { try trie.insert(route, ruleIndex: index) }
        self.routes = IndexedBy(routes)
        self.trie = trie
        namedMethods = Set(routes.flatMap(\.methods.tokens)).sorted()
    }

    /// The rule for a request; nil when there is none, which means no access.
    ///
    /// - Parameters:
    ///   - path: The request's path, whole.
    ///   - segments: How many of its leading segments are the place's (`PlaceMatch.segments`).
    public func match(method: Span<UInt8>, path: RequestPath, below segments: Int) -> RouteMatch? {
        guard let method = trie.method(method) else { return nil }
        return match(method, path: path, below: segments)
    }

    /// The rule for a path, among those for any method; nil when there is none.
    ///
    /// - Parameter segments: as above.
    public func match(path: RequestPath, below segments: Int) -> RouteMatch? {
        match(.other, path: path, below: segments)
    }

    /// The methods that rules for a path name, in ascending order; an `ANY` names none.
    ///
    /// - Parameter segments: as above.
    public func namedMethods(for path: RequestPath, below segments: Int) -> [String] {
        namedMethods.filter { method in
            guard let match = match(method: method.utf8.span, path: path, below: segments) else { return false }
            guard let route = routes[match.ruleIndex] else { return false }
            return route.methods.tokens.contains(method)
        }
    }

    private func match(_ method: RouteTrie.Method, path: RequestPath, below segments: Int) -> RouteMatch? {
        let first = max(0, segments)
        // The place itself is "/", with and without a slash: there is only one spelling for it in a rule.
        let form: RouteTrie.Form = path.trailingSlash && first < path.segmentCount ? .withSlash : .plain
        guard let rule = rule(below: RouteTrie.root, over: first, of: path, in: form, for: method) else { return nil }
        return RouteMatch(ruleIndex: RuleIndex(rule), firstSegment: first)
    }

    /// The decoded value of a `{name}` in the matched path, without its path parameters. Nil if the rule has no such
    /// name, or if the value would be another one when it is decoded again or split at its slashes: such a segment
    /// names nothing.
    public func value(of parameter: String, in match: RouteMatch, path: RequestPath) -> ArraySlice<UInt8>? {
        guard let position = routes[match.ruleIndex]?.path.position(ofParameter: parameter) else { return nil }
        let name = path.segmentName(at: match.segmentIndex(ofPosition: position))
        guard let name, !name.contains(UInt8(ascii: "/")), !PathCharacters.holdsEscape(name.span) else { return nil }
        return name
    }

    /// Every node is reached by one way only, so a lookup visits each at most once; and it goes no deeper than the
    /// longest pattern.
    private func rule(
        below node: Int32,
        over index: Int,
        of path: RequestPath,
        in form: RouteTrie.Form,
        for method: RouteTrie.Method,
    ) -> Int? {
        let edges = trie.nodes[Int(node)]
        guard index < path.segmentCount else { return trie.rule(at: edges, in: form, for: method) }
        let next = index &+ 1
        if edges.hasLiterals, let child = path.child(of: node, over: index, in: trie.literals),
            let rule = rule(below: child, over: next, of: path, in: form, for: method)
        {
            return rule
        }
        if let child = edges.parameter, let rule = rule(below: child, over: next, of: path, in: form, for: method) {
            return rule
        }
        if let child = edges.wildcard, let rule = rule(below: child, over: next, of: path, in: form, for: method) {
            return rule
        }
        return trie.rule(in: edges.rest, for: method)
    }
}
