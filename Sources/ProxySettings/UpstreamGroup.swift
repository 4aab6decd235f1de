/// Servers behind one resource, any of which may take a request.
public struct UpstreamGroup: Sendable, Hashable {
    /// Servers of the group. If empty, every request is answered 503.
    public let targets: [UpstreamTarget]
    /// Path prefix of forwarded requests, in canonical form: empty, or with a leading and without a trailing slash.
    public let basePath: [UInt8]
    /// Value of `Host` that is sent instead of the client's. Nil if it is not overridden.
    public let hostOverride: String?
    private let sharing: Sharing

    /// Settings for choosing, ejecting and retrying targets.
    public var fleet: FleetSettings { sharing.fleet }
    /// Share of the requests that each target gets, relative to the others.
    public var weights: [Int] { sharing.weights }

    /// Settings that only the fleet needs. A class, so that copying a group for each request does not copy them.
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

    /// - Parameter weights: one for each target; missing ones are 1.
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

// The text is compared in tests and shown in problems.
extension UpstreamGroup: CustomStringConvertible {
    public var description: String {
        "\(targets) \(weights) \(fleet) \(String(decoding: basePath, as: UTF8.self)) \(hostOverride ?? "")"
    }
}
