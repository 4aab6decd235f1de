import TokenVerification

/// Error for two rules without an order of precedence. They share a method, and their paths have the same shape, like
/// `{a}` and `{b}` in the same position.
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

/// The rules of a resource in a lookup table, which finds the rule for a request.
///
/// The rules are a trie over path segments. A lookup proceeds segment by segment from the left and tries the most
/// specific edge first: literal, text beside a wildcard (the longest text first), `{name}`, `*`, `**`. Segments behind
/// `**` are compared in the same order, but from the right. There `**` comes last: the longest tail wins. If the path
/// found has no rule for the method, the next edge is tried. All literal edges are in one hash table, so the number of
/// rules does not affect the cost of a lookup. Lookups never allocate.
///
/// The order of the rules never matters. Segments are matched without their path parameters. A class, so that all
/// requests share one table.
public final class RouteTable: Sendable {
    /// The rules in the order given. `RouteMatch.ruleIndex` is an index in it.
    public let routes: IndexedBy<RuleIndex, RoutePattern>

    let trie: RouteTrie
    /// The methods that rules name, in ascending order.
    private let namedMethods: [String]

    /// Makes a table without rules, which permits nothing.
    public init() {
        routes = []
        trie = RouteTrie()
        namedMethods = []
    }

    /// Compiles the rules into a table.
    public init(_ routes: [RoutePattern]) throws(RouteConflict) {
        var trie = RouteTrie()
        for (index, route) in routes.enumerated() { try trie.insert(route, ruleIndex: index) }
        self.routes = IndexedBy(routes)
        self.trie = trie
        namedMethods = Set(routes.flatMap(\.methods.tokens)).sorted()
    }

    /// The rule for a request. Nil if there is none, which means no access.
    ///
    /// - Parameters:
    ///   - path: the whole path of the request.
    ///   - segments: the number of its leading segments that belong to the place (`PlaceMatch.segments`).
    public func match(method: Span<UInt8>, path: RequestPath, below segments: Int) -> RouteMatch? {
        guard let method = trie.method(method) else { return nil }
        return match(method, path: path, below: segments)
    }

    /// The rule for a path, among the rules for `ANY` method. Nil if there is none.
    ///
    /// - Parameter segments: the number of leading segments that belong to the place.
    public func match(path: RequestPath, below segments: Int) -> RouteMatch? {
        match(.other, path: path, below: segments)
    }

    /// The methods that rules for a path name, in ascending order. Rules for `ANY` name none.
    ///
    /// - Parameter segments: the number of leading segments that belong to the place.
    public func namedMethods(for path: RequestPath, below segments: Int) -> [String] {
        namedMethods.filter { method in
            guard let match = match(method: method.utf8.span, path: path, below: segments) else { return false }
            guard let route = routes[match.ruleIndex] else { return false }
            return route.methods.tokens.contains(method)
        }
    }

    private func match(_ method: RouteTrie.Method, path: RequestPath, below segments: Int) -> RouteMatch? {
        let first = max(0, segments)
        // The place itself is "/", with and without a trailing slash, because a rule can only write it in one way.
        let form: RouteTrie.Form = path.trailingSlash && first < path.segmentCount ? .withSlash : .plain
        var visits = NoVisits()
        let rule = rule(
            below: RouteTrie.root, over: SegmentCursor(of: path, from: first), of: path, in: form, for: method,
            &visits)
        return rule.map { RouteMatch(ruleIndex: RuleIndex($0), firstSegment: first) }
    }

    /// The decoded value of a `{name}` in the matched path, without its path parameters. Nil if the rule has no such
    /// name. Nil also if decoding the value again or splitting it at slashes would change it: it is ambiguous then.
    public func value(of parameter: String, in match: RouteMatch, path: RequestPath) -> ArraySlice<UInt8>? {
        guard let position = routes[match.ruleIndex]?.path.position(ofParameter: parameter) else { return nil }
        let name = path.segmentName(at: match.segmentIndex(ofPosition: position))
        guard let name, !name.contains(UInt8(ascii: "/")), !PathCharacters.holdsEscape(name.span) else { return nil }
        return name
    }
}
