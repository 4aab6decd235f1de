import MetricFamilies
import UpstreamFleets

/// Current state of the targets behind one path of a resource.
public struct UpstreamReport: Sendable, Hashable {
    let place: Place
    /// The resource's identifier.
    public var resource: String { place.resource }
    /// Path prefix below the resource. `/` for all paths.
    public var path: String { place.path }
    public let targets: [Target]
    /// Number of requests that wait for a slot at one of the targets.
    public let waiting: Int

    struct Place: Hashable {
        let resource: String
        let path: String
    }

    public struct Target: Sendable, Hashable {
        /// Host and port, or a Unix socket as `unix:/path`.
        public let name: String
        /// True if requests go to the target. A target that is left out gets one request from time to time, which
        /// probes whether it is back.
        public let isIn: Bool
        /// Time since the last change. Nil if there was none since the start, or since the upstream was configured.
        public let since: Duration?
        /// Reason that the target is left out. Nil if it is in rotation.
        public let cause: String?
        public let inFlight: Int
        /// Smoothed latency. Nil if the target has not answered yet, or is the only one.
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
                "Requests waiting because every target has as many requests as `connections` allows, by resource and path prefix.",
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
