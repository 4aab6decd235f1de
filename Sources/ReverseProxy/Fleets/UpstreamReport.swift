import MetricFamilies
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

extension UpstreamReport {
    static func families(of upstreams: [UpstreamReport]) -> [MetricFamily] {
        [
            .gauge(
                "bearward_upstream_target_in",
                "1 if requests go to the target, 0 if it is left out, by resource and path prefix.",
                upstreams.flatMap { upstream in
                    upstream.targets.map {
                        MetricFamily.Sample($0.isIn ? 1 : 0, upstream.labels + [("target", $0.name)])
                    }
                }),
            .gauge(
                "bearward_upstream_requests_waiting",
                "Requests that wait for a place because every target has as many as `connections` allows, by resource and path prefix.",
                upstreams.map { MetricFamily.Sample($0.waiting, $0.labels) }),
        ]
    }

    private var labels: MetricFamily.Labels { [("resource", resource), ("path", path)] }
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
