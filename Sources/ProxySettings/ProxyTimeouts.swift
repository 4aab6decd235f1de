/// How long the gateway waits for others.
///
/// They are checked a few times a second: each expires up to half a second late, and never early.
public struct ProxyTimeouts: Sendable, Hashable {
    /// For the TLS handshake with a client.
    public var handshake: Duration
    /// From a connection's or a head's first byte until the head is whole.
    public var head: Duration
    /// Between two parts of a body, in either direction.
    public var bodyIdle: Duration
    /// Between two parts of an event stream or a call of gRPC, in either direction.
    public var streamIdle: Duration
    /// Between two requests.
    public var idle: Duration
    /// For connecting to an upstream.
    public var connect: Duration
    /// From the end of the request until the upstream's response head.
    public var firstByte: Duration
    /// For requests in flight when the gateway stops.
    public var drain: Duration
    /// Between the signal to stop and the end of accepting, so that load balancers notice.
    public var drainDelay: Duration
    /// From a worker's start until it is ready.
    public var start: Duration

    public init(
        handshake: Duration = .seconds(5),
        head: Duration = .seconds(10),
        bodyIdle: Duration = .seconds(30),
        streamIdle: Duration = .seconds(3600),
        idle: Duration = .seconds(60),
        connect: Duration = .seconds(3),
        firstByte: Duration = .seconds(30),
        drain: Duration = .seconds(30),
        drainDelay: Duration = .zero,
        start: Duration = .seconds(60),
    ) {
        self.handshake = handshake
        self.head = head
        self.bodyIdle = bodyIdle
        self.streamIdle = streamIdle
        self.idle = idle
        self.connect = connect
        self.firstByte = firstByte
        self.drain = drain
        self.drainDelay = drainDelay
        self.start = start
    }
}

extension ProxyTimeouts {
    /// How long an idle connection is left open when the gateway drains, because its client may be about to use it.
    ///
    /// No longer than half the drain, so that a response that begins at its end still has the other half.
    public var idleWhileDraining: Duration { min(drain / 2, FixedLimits.idleWhileDraining) }
}
