/// How the targets of one upstream are chosen, when one of them is left out, and when a request is tried again.
public struct FleetSettings: Sendable, Hashable {
    public var balance: Balance
    /// nil: no target is left out for its failures.
    public var ejection: Ejection?
    public var retries: Retries
    /// nil: only requests show how a target is.
    public var health: HealthCheck?
    /// Over which time a target that comes back gets its full share; zero: at once.
    public var slowStart: Duration
    /// nil: a target has as many requests at once as there are.
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
        /// The one with the fewest requests in flight of two drawn at random; a slow one counts as if it had more.
        case leastRequests
        /// Requests with the same value go to the same target, as long as that is not overloaded.
        case hash(Hashed)

        /// Whose value it is.
        public enum Hashed: Sendable, Hashable {
            case field(String)
            /// A claim of the token, by its path.
            case claim(String)
        }
    }

    /// When a target is left out for its failures.
    public struct Ejection: Sendable, Hashable {
        /// So many in a row.
        public var failures: Int
        /// For so long; then one request tries whether it is back.
        public var duration: Duration
        /// How many of the targets may be left out at once; never all of them.
        public var most: Share

        public init(failures: Int = 5, duration: Duration = .seconds(10), most: Share = .half) {
            self.failures = failures
            self.duration = duration
            self.most = most
        }
    }

    /// A number of targets.
    public enum Share: Sendable, Hashable {
        /// Rounded down.
        case half
        case count(Int)

        public func count(of targets: Int) -> Int {
            switch self {
            case .half: targets / 2
            case .count(let count): min(count, targets)
            }
        }
    }

    /// When a request is tried again, at another target if there is one.
    public struct Retries: Sendable, Hashable {
        /// In percent of the requests of the last ten seconds.
        public var budget: Int
        /// Of requests that may have had an effect already.
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
            /// No byte of the request was written.
            case connect
            /// A connection that had carried requests before closed before any byte of the response.
            case reusedClosed = "reused_closed"
            /// A connection of any kind did: the upstream may have begun with the request.
            case closed
            /// The upstream says that it did not process the request.
            case refused
        }
    }

    /// How many requests a target has at once, over all event loops, and how many wait for a place.
    public struct Connections: Sendable, Hashable {
        /// With HTTP/1.1 that many connections, idle ones included; with HTTP/2 requests alone.
        public var most: Int
        /// Of the whole fleet.
        public var waiting: Int
        /// For how long each waits at most.
        public var wait: Duration

        public init(most: Int, waiting: Int = 1024, wait: Duration = .seconds(1)) {
            self.most = most
            self.waiting = waiting
            self.wait = wait
        }
    }
}
