/// The servers behind one resource, any of which may take a request.
public struct UpstreamGroup: Sendable, Hashable {
    /// With none, every request is answered 502.
    public let targets: [UpstreamTarget]
    /// How much each of them takes of the requests, relative to the others.
    public let weights: [Int]
    /// How they are chosen, left out, and tried again.
    public let fleet: FleetSettings
    /// Put before the forwarded path: in canonical form, empty or beginning with a slash and not ending with one.
    public let basePath: [UInt8]
    /// The `Host` to send instead of the client's.
    public let hostOverride: String?

    /// - Parameter weights: one for each target; those that are missing are 1.
    public init(
        targets: [UpstreamTarget], weights: [Int] = [], fleet: FleetSettings = FleetSettings(), basePath: [UInt8] = [],
        hostOverride: String? = nil
    ) {
        self.targets = targets
        self.weights = targets.indices.map { weights.indices.contains($0) ? weights[$0] : 1 }
        self.fleet = fleet
        self.basePath = basePath
        self.hostOverride = hostOverride
    }
}
