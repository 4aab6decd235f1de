import AccessControl
import HTTPMessages
import TypedIndices

/// Requests that another proxy forwards.
extension RequestWalk {
    /// A resource without an upstream is reached through doors alone; elsewhere it is not there.
    mutating func judgeEntrance(
        of request: borrowing AuthorizationRequest, _ compiled: CompiledResource
    ) throws(Interruption) {
        guard compiled.resource.isForDoorsAlone, !request.isAtDoor else { return }
        facts.hint = Self.noUpstream
        throw .reject(Rejection(.routing(.noResource)))
    }

    /// The upstream of a request. Nil if the proxy that asks at a door forwards it.
    ///
    /// - Throws: 404 if the resource has upstreams, and none is for the path.
    @inline(__always)
    mutating func upstream(
        of request: borrowing AuthorizationRequest, _ resource: ProtectedResource, below segments: Int
    ) throws(Interruption) -> (route: RuleIndex, upstream: UpstreamIndex)? {
        // Upstreams are told apart by path alone: their patterns are for any method.
        let target = resource.upstream(for: request.path, below: segments)
        guard resource.isForwarded(by: target?.route) else {
            facts.stage = .forwarding
            throw .reject(Rejection(.routing(.noResource)))
        }
        return target
    }

    static let noUpstream = "the resource at this place has no `upstream`, so that it is reached through `doors` alone"
}

extension ProtectedResource {
    /// Whether proxies forward its requests, which ask at a door.
    public var isForDoorsAlone: Bool { upstreams.isEmpty }

    /// True if something forwards a permitted request: the upstream of this route, or a proxy if the resource has no
    /// upstream at all.
    public func isForwarded(by route: RuleIndex?) -> Bool { route != nil || isForDoorsAlone }
}
