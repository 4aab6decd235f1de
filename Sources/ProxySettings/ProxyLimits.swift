import HTTPMessages

/// Limits on what untrusted clients can consume.
public struct ProxyLimits: Sendable, Hashable {
    /// What a request head may hold.
    public var head: HeadLimits
    /// The longest request body in bytes (413); nil sets no bound.
    public var body: Int?
    /// Open downstream connections; more wait in the listeners' backlogs.
    public var connections: Int
    /// Open downstream connections from one address; more are closed at once. nil sets no bound.
    public var connectionsPerAddress: Int?
    /// Requests on one connection, after which it closes; nil sets no bound.
    public var requestsPerConnection: Int?
    /// Requests at once on one connection of HTTP/2; more are refused by its rules.
    public var streams: Int
    /// Requests that are with an upstream; more are answered 503 `overloaded`.
    public var inFlight: Int
    /// The part of ``inFlight`` that one client's address may take; more are answered 503 `overloaded`.
    public var inFlightPerAddress: AddressShare
    /// Requests that wait for keys or introspection; more are answered 503. Half of them, rounded up, may be one
    /// client's for its opaque tokens.
    public var waitingForKeys: Int
    /// Verifications of one client's tokens that fail within a second, by signature or by introspection; then its
    /// unknown tokens are answered 429 for the rest of it, their signatures unchecked and their issuers not asked. nil
    /// sets no bound.
    public var failedVerificationsPerAddress: Int?
    /// The least that a client sends of a body, in bytes a second on average over ten seconds, or over as long as a
    /// body may pause if that is longer (408); 0 sets no bound.
    public var bodyRate: Int
    /// What is kept of one request's body in case an upstream says that it did not process the request, in bytes; with
    /// a longer body it is not sent again (503 `upstream_refused`). 0 keeps nothing, and nothing is sent again for
    /// that.
    public var replay: Int
    /// What is kept of all such bodies together, in bytes; a body that would be more is not kept, and its request goes
    /// on all the same.
    public var replayTotal: Int
    /// Callers that quotas count at the same time; while there are so many, requests of others are answered 503
    /// `overloaded`.
    public var quotaKeys: Int
    /// The longest value of a field that states a part of the verified identity, in bytes; a request with a longer one
    /// is answered 403 `identity_too_large`.
    public var identity: Int

    public init(
        head: HeadLimits = HeadLimits(),
        body: Int? = nil,
        connections: Int = 10_000,
        connectionsPerAddress: Int? = nil,
        requestsPerConnection: Int? = nil,
        streams: Int = 100,
        inFlight: Int = 10_000,
        inFlightPerAddress: AddressShare = .fair,
        waitingForKeys: Int = 1024,
        failedVerificationsPerAddress: Int? = 100,
        bodyRate: Int = 24,
        replay: Int = 64 * 1024,
        replayTotal: Int = 32 * 1024 * 1024,
        quotaKeys: Int = 100_000,
        identity: Int = 4096,
    ) {
        self.head = head
        self.body = body
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.requestsPerConnection = requestsPerConnection
        self.streams = streams
        self.inFlight = inFlight
        self.inFlightPerAddress = inFlightPerAddress
        self.waitingForKeys = waitingForKeys
        self.failedVerificationsPerAddress = failedVerificationsPerAddress
        self.bodyRate = bodyRate
        self.replay = replay
        self.replayTotal = replayTotal
        self.quotaKeys = quotaKeys
        self.identity = identity
    }
}

/// How much of a limit one client's address may take.
public enum AddressShare: Sendable, Hashable {
    /// Another as long as the address holds fewer than are free: one client alone gets half, a second one half of what
    /// is left. The next client finds room, however much those before it take.
    case fair
    case atMost(Int)
    case unbounded

    /// True if an address may have another.
    ///
    /// - Parameters:
    ///   - held: how many it has.
    ///   - free: how many nobody has.
    public func permitsAnother(besides held: Int, free: Int) -> Bool {
        switch self {
        case .fair: held < free
        case .atMost(let limit): held < limit
        case .unbounded: true
        }
    }
}
