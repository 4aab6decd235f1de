/// The servers behind one resource, any of which may take a request.
public struct UpstreamGroup: Sendable, Hashable {
    /// With none, every request is answered 503.
    public let targets: [UpstreamTarget]
    /// Put before the forwarded path: in canonical form, empty or beginning with a slash and not ending with one.
    public let basePath: [UInt8]
    /// The `Host` to send instead of the client's.
    public let hostOverride: String?
    private let sharing: Sharing

    /// How the targets are chosen, left out, and tried again.
    public var fleet: FleetSettings { sharing.fleet }
    /// How much each target takes of the requests, relative to the others.
    public var weights: [Int] { sharing.weights }

    /// A class, so that a group is copied for each request without what only its fleet needs.
    private final class Sharing: Sendable, Hashable {
        let fleet: FleetSettings
        let weights: [Int]

        init(_ fleet: FleetSettings, weights: [Int]) {
            self.fleet = fleet
            self.weights = weights
        }

        static func == (left: Sharing, right: Sharing) -> Bool {
            left.fleet == right.fleet && left.weights == right.weights
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(fleet)
            hasher.combine(weights)
        }
    }

    /// - Parameter weights: one for each target; those that are missing are 1.
    public init(
        targets: [UpstreamTarget], weights: [Int] = [], fleet: FleetSettings = FleetSettings(), basePath: [UInt8] = [],
        hostOverride: String? = nil
    ) {
        self.targets = targets
        self.basePath = basePath
        self.hostOverride = hostOverride
        sharing = Sharing(fleet, weights: targets.indices.map { weights.indices.contains($0) ? weights[$0] : 1 })
    }
}

// What tests compare of a configuration, and problems show.
extension UpstreamGroup: CustomStringConvertible {
    public var description: String {
        "\(targets) \(weights) \(fleet) \(String(decoding: basePath, as: UTF8.self)) \(hostOverride ?? "")"
    }
}
