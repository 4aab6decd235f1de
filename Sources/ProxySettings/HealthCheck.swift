/// Active health check: how a target is probed without a client's request.
public struct HealthCheck: Sendable, Hashable {
    public var question: Question
    /// Value of `Host` in a probe. Nil for the upstream's own `Host`, or else the target's address.
    public var host: String?
    /// Time between the starts of two probes of one target.
    public var interval: Duration
    /// Time limit of one probe, from connecting to the end of the response head.
    public var timeout: Duration
    /// Number of successive failed probes after which a target counts as down.
    public var downAfter: Int
    /// Number of successive good probes after which a target that was down counts as up.
    public var upAfter: Int

    public init(
        _ question: Question, host: String? = nil, interval: Duration = .seconds(5), timeout: Duration = .seconds(2),
        downAfter: Int = 3,
        upAfter: Int = 2
    ) {
        self.question = question
        self.host = host
        self.interval = interval
        self.timeout = timeout
        self.downAfter = downAfter
        self.upAfter = upAfter
    }

    public enum Question: Sendable, Hashable {
        /// `GET` of a path, which may have a query, and the range of statuses that count as healthy.
        case http(path: String, expect: ClosedRange<Int>)
        /// Call of the gRPC health checking protocol (`grpc.health.v1.Health/Check`). An empty service name checks the
        /// server as a whole.
        case grpc(service: String)
    }
}
