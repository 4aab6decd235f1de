/// How a target is asked whether it is well, without a request of a client.
public struct HealthCheck: Sendable, Hashable {
    public var question: Question
    /// What goes into `Host`; nil: what a request without one of its own would have.
    public var host: String?
    /// From one check of a target to the next.
    public var interval: Duration
    /// For connecting, asking and the head of the answer together.
    public var timeout: Duration
    /// So many failed checks in a row leave a target out.
    public var downAfter: Int
    /// So many good ones in a row bring it back.
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
        /// `GET` of a path, perhaps with a query; the statuses that are good.
        case http(path: String, expect: ClosedRange<Int>)
        /// The gRPC health checking protocol (`grpc.health.v1.Health/Check`); empty: the server as a whole.
        case grpc(service: String)
    }
}
