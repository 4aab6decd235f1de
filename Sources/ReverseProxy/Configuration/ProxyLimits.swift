import HTTPMessages

/// How much strangers may ask for at once.
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
    /// Requests that wait for keys or introspection; more are answered 503. Half of them, rounded up, may be one client's for its
    /// opaque tokens.
    public var waitingForKeys: Int
    /// Verifications of one client's tokens that fail within a second, by signature or by introspection; then its unknown tokens are
    /// answered 429 for the rest of it, their signatures unchecked and their issuers not asked. nil sets no bound.
    public var failedVerificationsPerAddress: Int?
    /// The least that a client sends of a body, in bytes a second on average over ten seconds, or over as long as a body may pause if
    /// that is longer (408); 0 sets no bound.
    public var bodyRate: Int
    /// What is kept of one request's body in case an upstream says that it did not process the request, in bytes; with a longer body it
    /// is not sent again (503 `upstream_refused`). 0 keeps nothing, and nothing is sent again for that.
    public var replay: Int

    public init(
        head: HeadLimits = HeadLimits(),
        body: Int? = nil,
        connections: Int = 10_000,
        connectionsPerAddress: Int? = nil,
        requestsPerConnection: Int? = nil,
        streams: Int = 100,
        inFlight: Int = 10_000,
        waitingForKeys: Int = 1024,
        failedVerificationsPerAddress: Int? = 100,
        bodyRate: Int = 24,
        replay: Int = 64 * 1024,
    ) {
        self.head = head
        self.body = body
        self.connections = connections
        self.connectionsPerAddress = connectionsPerAddress
        self.requestsPerConnection = requestsPerConnection
        self.streams = streams
        self.inFlight = inFlight
        self.waitingForKeys = waitingForKeys
        self.failedVerificationsPerAddress = failedVerificationsPerAddress
        self.bodyRate = bodyRate
        self.replay = replay
    }
}

/// Bounds that no file changes.
enum FixedLimits {
    /// A channel is writable again below the first, and not writable above the second; in bytes.
    static let writeBuffer = 8 * 1024..<32 * 1024
    /// The most that one read takes: with what may be waiting to be written, 64 KiB in one direction.
    static let read = 32 * 1024
    /// Body bytes up to this many are copied behind the head, so that one write carries both.
    static let copiedBody = 8 * 1024
    /// What a client of HTTP/2 may send ahead in all streams of a connection together, in bytes.
    static let connectionWindow = 256 * 1024
    /// What is read and thrown away of a body that nobody wants, in bytes.
    static let unwantedBody = 64 * 1024
    /// How long a closing connection waits for the peer to see the answer.
    static let linger = TickCount(.seconds(1))
    /// How long an upstream has to see the last bytes of what was gone over to.
    static let tunnelFarewell: Duration = .seconds(1)
    /// Over how long the rate of a body is averaged at least.
    static let bodyRateWindow: Duration = .seconds(10)
    /// How long idle connections are left open at most when the gateway drains.
    static let idleWhileDraining: Duration = .seconds(5)
    /// Interim responses to one request.
    static let interimResponses = 10
    /// Attempts at one request, the first included.
    static let attempts = 2
    /// Idle upstream connections of one loop to one target.
    static let idleUpstreams = 512
    /// Requests at once on one HTTP/2 connection to an upstream.
    static let upstreamStreams = 100
    /// Requests on one HTTP/2 connection to an upstream, after which there is a fresh one.
    static let sessionRequests = 1_000_000
    /// Requests that are cut off on one HTTP/2 connection to an upstream, after which there is a fresh one. With all of its streams cut off
    /// as well it stays below what servers bear: Netty, SwiftNIO and nghttp2 allow from 200 in half a minute on.
    static let sessionResets = 50
    /// How long an upstream connection may be idle; shorter than common servers keep theirs.
    static let upstreamIdle = TickCount(.seconds(30))
    /// After so long without a request a connection gives its parsing storage back.
    static let storageKept = TickCount(.seconds(2))
}
