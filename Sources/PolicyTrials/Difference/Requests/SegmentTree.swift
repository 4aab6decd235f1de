import AccessControl
import RequestAuthorization
import TokenVerification

/// Tree of the paths that places and rules name, with one level for each segment.
final class SegmentTree {
    private(set) var literals: [[UInt8]: SegmentTree] = [:]
    /// Subtrees below segments with text beside a wildcard, without the wildcard's name.
    private(set) var partials: [PathPattern.Segment: SegmentTree] = [:]
    /// Subtree below a segment `{name}` or `*`. Nil if no path has one here.
    private(set) var any: SegmentTree?
    /// Segments behind a `**` that stands here.
    private(set) var tails: [[PathPattern.Segment]] = []

    /// Adds the paths of a resource's rules and upstream routes, below one of its places.
    func add(_ place: PlacePattern, _ resource: ProtectedResource) {
        let root = place.segments.reduce(self) { tree, segment in tree.child(over: segment) }
        for route in resource.routes.routes { root.add(route.path) }
        for route in resource.upstreamRoutes.routes { root.add(route.path) }
    }

    /// The subtrees below a segment with this text.
    func children(over text: [UInt8]) -> [SegmentTree] {
        let matching = partials.filter { $0.key.contains(.literal(text)) }.map(\.value)
        return [literals[text], any].compactMap(\.self) + matching
    }

    private func add(_ pattern: PathPattern) {
        var tree = self
        for segment in pattern.segments {
            switch segment {
            case .literal(let bytes): tree = tree.child(over: bytes)
            case .partial: tree = tree.childOverPart(segment.edge)
            case .parameter, .wildcard: tree = tree.childOverAny()
            }
        }
        if !pattern.tail.isEmpty { tree.tails.append(pattern.tail.map(\.edge)) }
    }

    private func child(over segment: [UInt8]) -> SegmentTree {
        if let child = literals[segment] { return child }
        let child = SegmentTree()
        literals[segment] = child
        return child
    }

    private func childOverPart(_ segment: PathPattern.Segment) -> SegmentTree {
        if let child = partials[segment] { return child }
        let child = SegmentTree()
        partials[segment] = child
        return child
    }

    private func childOverAny() -> SegmentTree {
        if let any { return any }
        let child = SegmentTree()
        any = child
        return child
    }
}
