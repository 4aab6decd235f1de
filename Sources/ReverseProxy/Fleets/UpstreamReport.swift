import UpstreamFleets

/// The targets below one path of a resource, as they are now.
public struct UpstreamReport: Sendable, Hashable {
    let place: Place
    /// The resource's identifier.
    public var resource: String { place.resource }
    /// The path prefix below the resource; `/` for all paths.
    public var path: String { place.path }
    public let targets: [Target]
    /// How many requests wait for a place at one of them.
    public let waiting: Int

    struct Place: Hashable {
        let resource: String
        let path: String
    }

    public struct Target: Sendable, Hashable {
        /// Host and port, or a Unix socket: `unix:/path`.
        public let name: String
        /// Whether requests go to it; a target that is left out gets one from time to time, which tries whether it is
        /// back.
        public let isIn: Bool
        /// Since when, as a span of time that has passed; nil: since the start, or since the upstream was configured.
        public let since: Duration?
        /// Why it is left out.
        public let cause: String?
        public let inFlight: Int
        /// Smoothed; nil: it has not answered yet, or is the only target.
        public let latency: Duration?
    }
}

extension UpstreamReport.Target {
    init(_ name: String, _ status: FleetTargetStatus?, at now: Int64) {
        self.name = name
        isIn = status?.isIn ?? true
        since = status?.since.map { .nanoseconds(max(0, now &- $0)) }
        cause = status?.cause?.text
        inFlight = status?.inFlight ?? 0
        latency = status?.latency.map { .nanoseconds(Int64(min($0, 1e18))) }
    }
}
