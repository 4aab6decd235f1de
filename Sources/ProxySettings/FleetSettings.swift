/// Load balancing of one upstream: how targets are chosen, ejected, checked and retried.
public struct FleetSettings: Sendable, Hashable {
    public var balance: Balance
    /// Rules for ejecting failing targets. Nil if no target is ejected for its failures.
    public var ejection: Ejection?
    public var retries: Retries
    /// Active health check. Nil if the state of a target is derived from requests only.
    public var health: HealthCheck?
    /// Time in which the share of a returning target grows to its full size. Zero gives the full share at once.
    public var slowStart: Duration
    /// Bound on concurrent requests at each target. Nil if there is no bound.
    public var connections: Connections?

    public init(
        balance: Balance = .roundRobin, ejection: Ejection? = Ejection(), retries: Retries = Retries(),
        health: HealthCheck? = nil,
        slowStart: Duration = .zero, connections: Connections? = nil
    ) {
        self.balance = balance
        self.ejection = ejection
        self.retries = retries
        self.health = health
        self.slowStart = slowStart
        self.connections = connections
    }

    public enum Balance: Sendable, Hashable {
        case roundRobin
        /// Draws two targets at random and takes the one with fewer requests in flight. A slow target counts as if it
        /// had more.
        case leastRequests
        /// Sends requests with the same value to the same target, as long as that target is not overloaded.
        case hash(Hashed)

        /// Source of the hashed value.
        public enum Hashed: Sendable, Hashable {
            case field(String)
            /// Claim of the token, by its path.
            case claim(String)
        }
    }

    /// Conditions under which a failing target is ejected, that is, gets no requests for a while.
    public struct Ejection: Sendable, Hashable {
        /// Number of successive failures after which a target is ejected.
        public var failures: Int
        /// Duration of an ejection. After it, a single request tries whether the target works again.
        public var duration: Duration
        /// Most targets that may be ejected at once; never all of them.
        public var most: Share

        public init(failures: Int = 5, duration: Duration = .seconds(10), most: Share = .half) {
            self.failures = failures
            self.duration = duration
            self.most = most
        }
    }

    /// Number of targets, given as a part or as a count.
    public enum Share: Sendable, Hashable {
        /// Half of the targets, rounded down.
        case half
        case count(Int)

        public func count(of targets: Int) -> Int {
            switch self {
            case .half: targets / 2
            case .count(let count): min(count, targets)
            }
        }
    }

    /// Conditions under which a request is retried, at another target if there is one.
    public struct Retries: Sendable, Hashable {
        /// Most retries, in percent of the requests of the last ten seconds.
        public var budget: Int
        /// Methods that are retried even if the first attempt may have had an effect already.
        public var methods: [String]
        public var causes: [Cause]

        public init(
            budget: Int = 20, methods: [String] = ["GET", "HEAD", "OPTIONS"],
            causes: [Cause] = [.connect, .reusedClosed, .refused]
        ) {
            self.budget = budget
            self.methods = methods
            self.causes = causes
        }

        public enum Cause: String, Sendable, Hashable, CaseIterable {
            /// Connecting failed: no byte of the request was written.
            case connect
            /// A reused connection closed before any byte of the response.
            case reusedClosed = "reused_closed"
            /// Any connection, new or reused, closed before any byte of the response. The upstream may have begun to
            /// process the request.
            case closed
            /// The upstream reported that it did not process the request.
            case refused
        }
    }

    /// Bound on concurrent requests at each target, counted over all event loops, and on requests that wait for a slot.
    public struct Connections: Sendable, Hashable {
        /// Most slots of one target. With HTTP/1.1 a slot is a connection, idle ones included; with HTTP/2 it is a
        /// request.
        public var most: Int
        /// Most requests that wait for a slot, over all targets of the upstream.
        public var waiting: Int
        /// Longest time that one request waits for a slot.
        public var wait: Duration

        public init(most: Int, waiting: Int = 1024, wait: Duration = .seconds(1)) {
            self.most = most
            self.waiting = waiting
            self.wait = wait
        }
    }
}
