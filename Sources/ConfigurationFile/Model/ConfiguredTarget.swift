import ProxySettings

/// Upstream target and its first location in the file.
public struct ConfiguredTarget: Sendable, Hashable {
    public let target: UpstreamTarget
    public let place: FilePlace

    /// Makes a problem about the target. The message begins with the target's address.
    public func problem(_ severity: Problem.Severity, _ message: String) -> Problem {
        place.problem(severity, "\(target.name): \(message)")
    }
}
