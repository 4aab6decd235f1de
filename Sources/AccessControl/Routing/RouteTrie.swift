/// The trie of a `RouteTable`. Nodes are positions between segments, and leaves hold the rules of one path.
///
/// Segments behind `**` are edges from right to left, below a node of their own.
struct RouteTrie: Sendable {
    static let root: Int32 = 0

    struct Node: Sendable {
        var hasLiterals = false
        /// The child nodes over `{name}` and over `*`. Nil if no rule has one there.
        var parameter: Int32?
        var wildcard: Int32?
        /// List of the edges over segments with text beside a wildcard. Nil if no rule has one there.
        var partials: Int32?
        /// Root of the segments behind `**`. Nil if no rule has some there.
        var tails: Int32?
        /// The leaves of the rules whose path ends here: without a slash, with a slash, and with `**`. Nil if no rule
        /// ends in that form.
        var end: Int32?
        var endWithSlash: Int32?
        var rest: Int32?
    }

    /// The rules of one path.
    private struct Leaf: Sendable {
        /// Head of the linked list in `entries` of the rules for single methods. Nil if there are none.
        var entry: Int32?
        var any: Int32?
    }

    private struct Entry: Sendable {
        let method: Int32
        let rule: Int32
        let next: Int32?
    }

    /// A request's method, classified by the methods that rules name.
    enum Method: Sendable, Hashable {
        /// A method that a rule names.
        case named(Int32)
        /// HEAD. A rule for GET applies if no rule names HEAD.
        case head
        /// A method that only `ANY` covers.
        case other
    }

    /// The end of a path or pattern: with or without a slash.
    enum Form: Sendable, Hashable {
        case plain
        case withSlash
    }

    private static let get: Int32 = 0
    private static let head: Int32 = 1

    private(set) var nodes = [Node()]
    private(set) var literals = EdgeTable()
    private(set) var partials = PartialEdges()
    private var leaves: [Leaf] = []
    private var entries: [Entry] = []
    private var methods = EdgeTable()
    private var methodCount: Int32 = 2

    init() {
        methods.insert(from: 0, over: [UInt8]("GET".utf8), to: Self.get)
        methods.insert(from: 0, over: [UInt8]("HEAD".utf8), to: Self.head)
    }

    // MARK: Looking up

    /// The classification of a method. Nil for CONNECT and TRACE, which no rule covers.
    func method(_ token: Span<UInt8>) -> Method? {
        switch methods.target(from: 0, over: token) {
        case Self.head?: return .head
        case let method?: return .named(method)
        case nil: return Self.isExcluded(token) ? nil : .other
        }
    }

    /// The rule for a path that ends at a node. Rules in the path's own form come first, then those in the other form.
    /// Nil if none covers the method.
    func rule(atEnd node: Node, in form: Form, for method: Method) -> Int? {
        switch form {
        case .plain: rule(in: node.end, for: method) ?? rule(in: node.endWithSlash, for: method)
        case .withSlash: rule(in: node.endWithSlash, for: method) ?? rule(in: node.end, for: method)
        }
    }

    /// The rule of one path for a method. An exact method comes first, then GET for HEAD, then `ANY`. Nil if there is
    /// no leaf, or none of its rules covers the method.
    func rule(in leaf: Int32?, for method: Method) -> Int? {
        guard let leaf else { return nil }
        let exact: Int32? =
            switch method {
            case .named(let method): entry(of: method, in: leaf)
            case .head: entry(of: Self.head, in: leaf) ?? entry(of: Self.get, in: leaf)
            case .other: nil
            }
        return (exact ?? leaves[Int(leaf)].any).map(Int.init)
    }

    private func entry(of method: Int32, in leaf: Int32) -> Int32? {
        var next = leaves[Int(leaf)].entry
        while let index = next {
            let entry = entries[Int(index)]
            if entry.method == method { return entry.rule }
            next = entry.next
        }
        return nil
    }

    private static func isExcluded(_ token: Span<UInt8>) -> Bool {
        isEqual(token, "CONNECT") || isEqual(token, "TRACE")
    }

    private static func isEqual(_ token: Span<UInt8>, _ name: String) -> Bool {
        let name = name.utf8
        guard token.count == name.count else { return false }
        var index = 0
        for byte in name {
            guard token[index] == byte else { return false }
            index &+= 1
        }
        return true
    }

    // MARK: Building

    mutating func insert(_ route: RoutePattern, ruleIndex: Int) throws(RouteConflict) {
        var node = Self.root
        for segment in route.path.segments { node = child(of: node, over: segment) }
        if !route.path.tail.isEmpty { node = tails(of: node) }
        for segment in route.path.tail.reversed() { node = child(of: node, over: segment) }
        let leaf = leaf(of: node, for: route.path)
        switch route.methods {
        case .any: try insertAny(Int32(ruleIndex), in: leaf)
        case .tokens(let tokens):
            for token in tokens { try insert(method(named: token), Int32(ruleIndex), in: leaf) }
        }
    }

    private mutating func insertAny(_ rule: Int32, in leaf: Int) throws(RouteConflict) {
        if let first = leaves[leaf].any { throw RouteConflict(first, rule) }
        leaves[leaf].any = rule
    }

    private mutating func insert(_ method: Int32, _ rule: Int32, in leaf: Int) throws(RouteConflict) {
        if let first = entry(of: method, in: Int32(leaf)) { throw RouteConflict(first, rule) }
        entries.append(Entry(method: method, rule: rule, next: leaves[leaf].entry))
        leaves[leaf].entry = Int32(entries.count - 1)
    }

    /// The node over a segment of a pattern. It is added if it does not exist yet.
    private mutating func child(of node: Int32, over segment: PathPattern.Segment) -> Int32 {
        if let child = existingChild(of: node, over: segment) { return child }
        nodes.append(Node())
        let child = Int32(nodes.count - 1)
        switch segment {
        case .parameter: nodes[Int(node)].parameter = child
        case .wildcard: nodes[Int(node)].wildcard = child
        case .partial(let segment): partials.insert(child, in: partials(of: node), over: segment)
        case .literal(let bytes):
            nodes[Int(node)].hasLiterals = true
            literals.insert(from: node, over: bytes, to: child)
        }
        return child
    }

    func existingChild(of node: Int32, over segment: PathPattern.Segment) -> Int32? {
        switch segment {
        case .parameter: nodes[Int(node)].parameter
        case .wildcard: nodes[Int(node)].wildcard
        case .literal(let bytes): literals.target(from: node, over: bytes.span)
        case .partial(let segment):
            nodes[Int(node)].partials.flatMap { partials.children(of: $0, over: segment) }.flatMap {
                segment.name == nil ? $0.wildcard : $0.parameter
            }
        }
    }

    private mutating func partials(of node: Int32) -> Int32 {
        if let list = nodes[Int(node)].partials { return list }
        let list = partials.makeList()
        nodes[Int(node)].partials = list
        return list
    }

    private mutating func tails(of node: Int32) -> Int32 {
        if let root = nodes[Int(node)].tails { return root }
        nodes.append(Node())
        let root = Int32(nodes.count - 1)
        nodes[Int(node)].tails = root
        return root
    }

    private mutating func leaf(of node: Int32, for path: PathPattern) -> Int {
        let endsWithRest = path.coversRest && path.tail.isEmpty
        let end = endsWithRest ? \Node.rest : path.trailingSlash ? \Node.endWithSlash : \Node.end
        if let leaf = nodes[Int(node)][keyPath: end] { return Int(leaf) }
        leaves.append(Leaf())
        nodes[Int(node)][keyPath: end] = Int32(leaves.count - 1)
        return leaves.count - 1
    }

    private mutating func method(named token: String) -> Int32 {
        let bytes = [UInt8](token.utf8)
        if let method = methods.target(from: 0, over: bytes.span) { return method }
        methods.insert(from: 0, over: bytes, to: methodCount)
        methodCount += 1
        return methodCount - 1
    }
}
