import TokenVerification

/// Decides which realms of an issuer are asked for keys: a realm gets a place once its keys were fetched.
///
/// Clients choose the realm that a token names, so the fetches for realms without a place have one allowance for the
/// whole issuer. A fetch that brings keys is given back: the number of realms that have keys is bounded by the places.
public struct RealmAdmissions: Sendable {
    /// Next step for a request whose token names a realm without a place.
    public enum Step: Sendable, Hashable {
        /// Fetch the realm's keys, and report the outcome to ``ended(_:_:at:)``.
        case fetch
        /// Answer the request without a fetch.
        case answer(KeyAnswer)
    }

    public enum Outcome: Sendable, Hashable {
        /// The realm has keys, and gets a place.
        case keys
        /// The issuer has no such realm.
        case absent
        /// The issuer could not be asked. This says nothing about the realm.
        case failed
    }

    /// Totals since the process started.
    public struct Counters: Sendable, Hashable {
        public var fetches: UInt64 = 0
        public var absent: UInt64 = 0
        public var failures: UInt64 = 0
        /// Requests that were answered without a fetch because the allowance was spent.
        public var notAsked: UInt64 = 0
        /// Requests that were answered without a fetch because every place was taken.
        public var withoutPlace: UInt64 = 0

        public init() {}

        /// The totals with their names in metrics and in the answer of `/readyz`.
        public var named: [(name: String, total: UInt64)] {
            [
                ("fetches", fetches), ("absent", absent), ("failures", failures), ("not_asked", notAsked),
                ("without_place", withoutPlace),
            ]
        }
    }

    /// Most realms that have a place.
    public let most: Int
    public private(set) var counters = Counters()
    private var allowance: FetchAllowance
    /// Realms that the issuer recently did not have.
    private var refused = RefusedKeyIDs()
    private var fetching: Set<String> = []

    /// Time for clients to wait while every place is taken.
    static let fullPause = Duration.seconds(60)

    public init(most: Int, burst: Int = usualBurst, interval: Duration = usualInterval) {
        self.most = most
        allowance = FetchAllowance(burst: burst, interval: interval)
    }

    public static let usualBurst = 10
    public static let usualInterval = Duration.seconds(6)

    /// Handles a request for a realm that has no place, and for which no fetch is under way.
    ///
    /// - Parameter taken: number of places that are taken.
    public mutating func requestNeeds(_ realm: String, taken: Int, at now: ContinuousClock.Instant) -> Step {
        refused.expire(at: now)
        guard !refused.contains(realm) else { return .answer(.confirmedUnknown) }
        guard taken < most else {
            counters.withoutPlace &+= 1
            return .answer(.notAsked(retryAfter: Self.fullPause))
        }
        // Each fetch may bring keys, so those under way count as places.
        guard taken + fetching.count < most, allowance.take(at: now) else {
            counters.notAsked &+= 1
            return .answer(.notAsked(retryAfter: retryAfter(at: now)))
        }
        counters.fetches &+= 1
        fetching.insert(realm)
        return .fetch
    }

    /// Records how a realm's fetch ended. Returns the answer to the requests that waited for it.
    public mutating func ended(_ realm: String, _ outcome: Outcome, at now: ContinuousClock.Instant) -> KeyAnswer {
        fetching.remove(realm)
        switch outcome {
        case .keys:
            allowance.refund(at: now)
            return .keysChanged
        case .absent:
            counters.absent &+= 1
            refused.expire(at: now)
            refused.insert(realm, at: now)
            return .confirmedUnknown
        case .failed:
            counters.failures &+= 1
            return .unavailable(retryAfter: retryAfter(at: now))
        }
    }

    /// Time until a fetch is allowed, at least a second.
    private func retryAfter(at now: ContinuousClock.Instant) -> Duration {
        max(.seconds(1), allowance.nextFetch(at: now).map { now.duration(to: $0) } ?? Self.fullPause)
    }
}
