/// The edges of a trie over segments with literal text beside a wildcard.
///
/// The edges of a node are grouped by the lengths of their literal parts. A lookup hashes these parts of the segment
/// once for each group of the node, however many edges a group has. It never allocates.
struct PartialEdges: Sendable {
    /// Lengths of the literal parts of some edges of a node.
    struct Shape: Sendable {
        let prefix: Int
        let suffix: Int
        /// Start node in `parts`, different for each shape of each node.
        fileprivate let scope: Int32

        /// True if edges of this shape are tried first: more literal bytes, then a longer prefix.
        fileprivate func precedes(_ other: Shape) -> Bool {
            (prefix &+ suffix, prefix) > (other.prefix &+ other.suffix, other.prefix)
        }
    }

    /// The child nodes over segments with the same literal parts: with a name and with `*`. Nil if no rule has one.
    struct Children: Sendable {
        var parameter: Int32?
        var wildcard: Int32?
    }

    /// The shapes of each list, in the order in which a lookup tries them.
    private var lists: [[Shape]] = []
    /// From the scope of a shape over the prefix to a node, and from there over the suffix to an index of `children`.
    private var parts = EdgeTable()
    private var children: [Children] = []
    private var lastNode: Int32 = 0

    // MARK: Looking up

    /// The shapes of a node's list.
    func shapes(of list: Int32) -> [Shape] { lists[Int(list)] }

    /// The children over a segment, if its literal parts are those of an edge with this shape. Nil if there is none.
    func children(_ shape: Shape, over name: Span<UInt8>) -> Children? {
        guard name.count > shape.prefix &+ shape.suffix,
            let middle = parts.target(from: shape.scope, over: name.extracting(first: shape.prefix)),
            let index = parts.target(from: middle, over: name.extracting(last: shape.suffix))
        else { return nil }
        return children[Int(index)]
    }

    // MARK: Building

    /// The children over a segment of a pattern. Nil if there is no such edge.
    func children(of list: Int32, over segment: PartialSegment) -> Children? {
        index(of: list, over: segment).map { children[Int($0)] }
    }

    /// Makes the list of another node.
    mutating func makeList() -> Int32 {
        lists.append([])
        return Int32(lists.count &- 1)
    }

    /// Adds a child node over a segment that has none yet.
    mutating func insert(_ child: Int32, in list: Int32, over segment: PartialSegment) {
        let known = index(of: list, over: segment)
        let index = if let known { known } else { makeEdge(in: list, over: segment) }
        if segment.name == nil {
            children[Int(index)].wildcard = child
        } else {
            children[Int(index)].parameter = child
        }
    }

    private func index(of list: Int32, over segment: PartialSegment) -> Int32? {
        guard let shape = shape(in: list, of: segment),
            let middle = parts.target(from: shape.scope, over: segment.prefix.span)
        else { return nil }
        return parts.target(from: middle, over: segment.suffix.span)
    }

    private func shape(in list: Int32, of segment: PartialSegment) -> Shape? {
        lists[Int(list)].first { $0.prefix == segment.prefix.count && $0.suffix == segment.suffix.count }
    }

    private mutating func makeEdge(in list: Int32, over segment: PartialSegment) -> Int32 {
        let known = shape(in: list, of: segment)
        let shape = if let known { known } else { makeShape(in: list, of: segment) }
        children.append(Children())
        let index = Int32(children.count &- 1)
        parts.insert(from: middle(below: shape, over: segment.prefix), over: segment.suffix, to: index)
        return index
    }

    private mutating func middle(below shape: Shape, over prefix: [UInt8]) -> Int32 {
        if let node = parts.target(from: shape.scope, over: prefix.span) { return node }
        let node = makeNode()
        parts.insert(from: shape.scope, over: prefix, to: node)
        return node
    }

    private mutating func makeShape(in list: Int32, of segment: PartialSegment) -> Shape {
        let shape = Shape(prefix: segment.prefix.count, suffix: segment.suffix.count, scope: makeNode())
        let place = lists[Int(list)].firstIndex { shape.precedes($0) } ?? lists[Int(list)].endIndex
        lists[Int(list)].insert(shape, at: place)
        return shape
    }

    private mutating func makeNode() -> Int32 {
        lastNode &+= 1
        return lastNode
    }
}
