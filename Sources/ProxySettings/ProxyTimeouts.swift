/// Time limits for waiting on clients, upstreams and workers.
///
/// They are checked a few times a second: each expires up to half a second late, and never early.
public struct ProxyTimeouts: Sendable, Hashable {
    /// Time limit of the TLS handshake with a client.
    public var handshake: Duration
    /// Time limit from the first byte of a connection or head until the head is complete.
    public var head: Duration
    /// Longest pause between two parts of a body, in either direction.
    public var bodyIdle: Duration
    /// Longest pause between two parts of an event stream or gRPC call, in either direction.
    public var streamIdle: Duration
    /// Longest idle time of a client connection between two requests.
    public var idle: Duration
    /// Time limit for connecting to an upstream.
    public var connect: Duration
    /// Time limit from the end of the request until the upstream's response head.
    public var firstByte: Duration
    /// Time that requests in flight get to finish when the gateway stops.
    public var drain: Duration
    /// Delay between the stop signal and the end of accepting connections, so that load balancers notice.
    public var drainDelay: Duration
    /// Time limit for a worker to become ready after its start.
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
    /// Longest time that an idle connection stays open when the gateway drains, because its client may be about to use
    /// it.
    ///
    /// Never more than half of ``drain``. A response that begins at the last moment still has the other half.
    public var idleWhileDraining: Duration { min(drain / 2, FixedLimits.idleWhileDraining) }
}
