import ProxySettings

/// Where a file names a target first.
public struct UpstreamPlace: Sendable, Hashable {
    public let target: UpstreamTarget
    public let place: FilePlace

    /// What to tell of the target; its address goes first.
    public func problem(_ severity: Problem.Severity, _ message: String) -> Problem {
        place.problem(severity, "\(target.name): \(message)")
    }
}
