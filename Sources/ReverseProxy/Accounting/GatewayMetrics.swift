/// What a gateway has done and is doing, at one moment.
public struct GatewayMetrics: Sendable {
    /// Requests that ended, by outcome; up to a quarter of a second behind.
    public let decisions: [Decision: UInt64]
    /// Requests that were forwarded because their rules are only observed, by what they would have been refused for.
    public let observedRefusals: [Decision: UInt64]
    /// What the file of `--shadow` made of requests; likewise.
    public let shadow: ShadowFigures
    /// What was counted of requests that ended; up to a quarter of a second behind.
    public let requests: [RequestSeries: RequestFigures]
    /// What was counted of attempts, by the target's host and port; up to a quarter of a second behind.
    public let upstreams: [String: UpstreamFigures]
    /// Answers at doors; up to a quarter of a second behind.
    public let doorAnswers: [DoorAnswerSeries: UInt64]
    /// How often each limit was met.
    public let limitHits: [GatewayLimit: UInt64]
    public let openConnections: Int
    public let requestsInFlight: Int
    public let requestsWaitingForKeys: Int
    /// Memory of request bodies that are held, so that their requests can be sent again.
    public let heldBodyBytes: Int
    /// Connections accepted since the start.
    public let acceptedConnections: UInt64
    public let handshakes: [TLSHandshakeResult: UInt64]
    public let proxyHeaders: [ProxyHeaderResult: UInt64]
    /// How often an event loop began its regular work so late.
    public let loopDelays: [LoopDelay: UInt64]
}

/// How TLS handshakes with clients end.
public enum TLSHandshakeResult: String, CaseIterable, Sendable {
    case completed
    case failed
    case timedOut = "timed_out"
}

/// What connections began with on listeners that ask for a PROXY protocol header.
public enum ProxyHeaderResult: String, CaseIterable, Sendable {
    /// A header with the client's address.
    case announced
    /// A header that leaves the socket's address, as of a proxy's health check.
    case local
    /// No header: it ended before, as a check does that only connects.
    case incomplete
    /// Something else than a header.
    case invalid
    case timedOut = "timed_out"
    /// Nothing was read: the peer is not one that may state a client's address.
    case untrusted
}

/// How late an event loop may be, four times a second: it was busy, or the system did not schedule it.
public enum LoopDelay: Int64, CaseIterable, Sendable {
    case fiveMilliseconds = 5
    case fiftyMilliseconds = 50
    case halfASecond = 500

    var nanoseconds: Int64 { rawValue * 1_000_000 }
}

/// The limits that are counted separately; those of a request's form have reasons of their own.
public enum GatewayLimit: String, CaseIterable, Sendable {
    case connections
    case connectionsPerAddress = "connections_per_address"
    case requestsPerConnection = "requests_per_connection"
    case inFlight = "in_flight"
    case inFlightPerAddress = "in_flight_per_address"
    case waitingForKeys = "waiting_for_keys"
    case failedVerificationsPerAddress = "failed_verifications_per_address"
    /// Not of the file: key IDs that nobody could be asked about.
    case unaskedKeyIDsPerAddress = "unasked_kids_per_address"
    case bodyRate = "body_rate"
    /// Bodies that were not held, because all bodies together were as much as may be held.
    case replayTotal = "replay_total"
    case quotaKeys = "quota_keys"
    /// Of a fleet: no place at a target, and too many wait, or one waited for too long.
    case upstreamConnections = "upstream_connections"
    /// HTTP/2: malformed requests.
    case malformedStreams = "malformed_streams"
    /// HTTP/2: connections that broke its rules or flooded us.
    case brokenConnections = "broken_connections"
    /// The system's, not the file's.
    case memory
}
