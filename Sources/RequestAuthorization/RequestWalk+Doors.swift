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

    static let noUpstream = "the resource at this place has no `upstream`, so that it is reached through `doors` alone"
}

extension ProtectedResource {
    /// Whether proxies forward its requests, which ask at a door.
    public var isForDoorsAlone: Bool { upstreams.isEmpty }
}
