import AccessControl
import RequestAuthorization
import TokenVerification

/// Tree of the paths that places and rules name, with one level for each segment.
final class SegmentTree {
    private(set) var literals: [[UInt8]: SegmentTree] = [:]
    /// Subtree below a segment `{name}` or `*`. Nil if no path has one here.
    private(set) var any: SegmentTree?

    /// Adds the paths of a resource's rules and upstream routes, below one of its places.
    func add(_ place: PlacePattern, _ resource: ProtectedResource) {
        let root = place.segments.reduce(self) { tree, segment in tree.child(over: segment) }
        for route in resource.routes.routes { root.add(route.path) }
        for route in resource.upstreamRoutes.routes { root.add(route.path) }
    }

    private func add(_ pattern: PathPattern) {
        var tree = self
        for segment in pattern.segments {
            switch segment {
            case .literal(let bytes): tree = tree.child(over: bytes)
            case .parameter, .wildcard: tree = tree.childOverAny()
            }
        }
    }

    private func child(over segment: [UInt8]) -> SegmentTree {
        if let child = literals[segment] { return child }
        let child = SegmentTree()
        literals[segment] = child
        return child
    }

    private func childOverAny() -> SegmentTree {
        if let any { return any }
        let child = SegmentTree()
        any = child
        return child
    }
}
