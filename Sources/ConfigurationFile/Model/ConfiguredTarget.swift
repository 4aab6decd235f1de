import ProxySettings

/// A target of upstreams, and where the file names it first.
public struct ConfiguredTarget: Sendable, Hashable {
    public let target: UpstreamTarget
    public let place: FilePlace

    /// What to tell of the target; its address goes first.
    public func problem(_ severity: Problem.Severity, _ message: String) -> Problem {
        place.problem(severity, "\(target.name): \(message)")
    }
}
