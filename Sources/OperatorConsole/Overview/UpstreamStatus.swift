import StrictJSON

/// Entry of `/api/upstreams`: the targets below one path of a resource.
public struct UpstreamStatus: Sendable, Hashable {
    public let resource: String
    public let path: String
    public let targets: [Target]
    /// Number of requests that wait for a slot at one of the targets.
    public let waiting: Int

    public init(resource: String, path: String, targets: [Target], waiting: Int = 0) {
        self.resource = resource
        self.path = path
        self.targets = targets
        self.waiting = waiting
    }

    public struct Target: Sendable, Hashable {
        public let name: String
        public let isIn: Bool
        /// Time since `isIn` last changed. Nil if it has not changed since the start.
        public let since: Duration?
        /// The reason why the target is out of rotation. Nil if it is in rotation.
        public let cause: String?
        public let inFlight: Int
        /// The smoothed latency. Nil if it is not known.
        public let latency: Duration?

        public init(name: String, isIn: Bool, since: Duration?, cause: String?, inFlight: Int, latency: Duration?) {
            self.name = name
            self.isIn = isIn
            self.since = since
            self.cause = cause
            self.inFlight = inFlight
            self.latency = latency
        }
    }

    /// Writes all upstreams as one JSON object.
    public static func json(_ upstreams: [UpstreamStatus]) -> [UInt8] {
        JSONObjectWriter.object { json, bytes in write(upstreams, with: &json, into: &bytes) }
    }

    /// Writes the member `upstreams`.
    static func write(_ upstreams: [UpstreamStatus], with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.objects("upstreams", upstreams, into: &bytes) { upstream, json, bytes in
            json.member("resource", string: upstream.resource, into: &bytes)
            json.member("path", string: upstream.path, into: &bytes)
            json.member("waiting", integer: upstream.waiting, into: &bytes)
            json.objects("targets", upstream.targets, into: &bytes) { $0.write(with: &$1, into: &$2) }
        }
    }
}

extension UpstreamStatus.Target {
    fileprivate func write(with json: inout JSONObjectWriter, into bytes: inout [UInt8]) {
        json.member("target", string: name, into: &bytes)
        json.member("state", string: isIn ? "in" : "out", into: &bytes)
        if let since {
            json.member("since_seconds", integer: Int(since.components.seconds), into: &bytes)
        } else {
            json.memberNull("since_seconds", into: &bytes)
        }
        json.member("cause", optional: cause, into: &bytes)
        json.member("in_flight", integer: inFlight, into: &bytes)
        if let latency {
            json.member("latency_us", integer: Int(latency / .microseconds(1)), into: &bytes)
        } else {
            json.memberNull("latency_us", into: &bytes)
        }
    }
}
