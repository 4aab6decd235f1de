import HTTPMessages

/// Limits on what untrusted clients can consume.
public struct ProxyLimits: Sendable, Hashable {
    /// Limits of a request head.
    public var head: HeadLimits
    /// Longest request body, in bytes. A longer one is answered 413. Nil sets no bound.
    public var body: Int?
    /// Most open downstream connections. More wait in the listeners' backlogs.
    public var connections: Int
    /// Most open downstream connections from one address. More are closed at once. Nil sets no bound.
    public var connectionsPerAddress: Int?
    /// Most requests on one connection; then it closes. Nil sets no bound.
    public var requestsPerConnection: Int?
    /// Most concurrent requests on one HTTP/2 connection. More are refused by the rules of HTTP/2.
    public var streams: Int
    /// Most requests in flight to upstreams. More are answered 503 `overloaded`.
    public var inFlight: Int
    /// Part of ``inFlight`` that one client address may use. More requests are answered 503 `overloaded`.
    public var inFlightPerAddress: AddressShare
    /// Most requests that wait for keys or introspection. More are answered 503. One client may use half of them,
    /// rounded up, for its opaque tokens.
    public var waitingForKeys: Int
    /// Most failed verifications per second for one client address, by signature or introspection. For the rest of that
    /// second its tokens that are not cached are answered 429: no signature is checked and no issuer is asked. Nil sets
    /// no bound.
    public var failedVerificationsPerAddress: Int?
    /// Lowest rate at which a client may send a body, in bytes per second; a slower one is answered 408. The rate is
    /// averaged over ten seconds, or over the idle timeout of a body if that is longer. 0 sets no bound.
    public var bodyRate: Int
    /// Most bytes of one request body that are kept for a retry after an upstream reported that it did not process the
    /// request. A request with a longer body is not retried (503 `upstream_refused`). 0 keeps nothing and disables that
    /// retry.
    public var replay: Int
    /// Most bytes of all bodies that are kept for retries. A body beyond that is not kept, but its request is
    /// forwarded.
    public var replayTotal: Int
    /// Most callers that quotas count at the same time. At the limit, requests of further callers are answered 503
    /// `overloaded`.
    public var quotaKeys: Int
    /// Longest value of an identity header, in bytes. A request with a longer one is answered 403 `identity_too_large`.
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

/// Part of a limit that one client address may use.
public enum AddressShare: Sendable, Hashable {
    /// Permits another while the address holds fewer than are free. One client alone gets half, a second one half of
    /// the rest. However much earlier clients take, the next one still gets some.
    case fair
    case atMost(Int)
    case unbounded

    /// True if an address may have one more, such as one more request in flight.
    ///
    /// - Parameters:
    ///   - held: how many the address has.
    ///   - free: how many are unused.
    public func permitsAnother(besides held: Int, free: Int) -> Bool {
        switch self {
        case .fair: held < free
        case .atMost(let limit): held < limit
        case .unbounded: true
        }
    }
}
