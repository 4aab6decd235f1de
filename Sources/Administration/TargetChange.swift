/// Operator's command to drain a target or return it to rotation.
public struct TargetChange: Sendable, Hashable {
    /// The target's name as in `/api/upstreams`.
    public let target: String
    /// The resource's identifier. Nil for all resources.
    public let resource: String?
    /// The path prefix of the upstream. Nil for all paths.
    public let path: String?
    public let isDrained: Bool
}

extension TargetChange {
    /// Reads a command from the parameters of a query. Nil if it names no target.
    init?(isDrained: Bool, _ parameter: (String) -> String?) {
        guard let target = parameter("target"), !target.isEmpty else { return nil }
        self.init(target: target, resource: parameter("resource"), path: parameter("path"), isDrained: isDrained)
    }
}
