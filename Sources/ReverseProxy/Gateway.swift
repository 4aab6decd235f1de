import Logging
import NIOCore
import NIOPosix
import ProxySettings
import RequestAuthorization
import Synchronization
import Telemetry
import TokenVerification

/// The reverse proxy: accepts connections, has each request judged, and forwards the permitted ones.
///
/// Several event loops serve each listening socket: one accepts, and its connections go to all loops in turn. A
/// connection, its upstream connections and its buffers stay on one loop.
public final class Gateway: Sendable {
    let group: MultiThreadedEventLoopGroup
    private let listeners: [Listener]
    let state: GatewayState
    private let running: Mutex<Running>

    /// Event loops. Empty before the start.
    var loops: [NIOLoopBound<GatewayLoop>] { running.withLock { $0.loops } }

    private struct Running {
        var configuration: ProxyConfiguration
        var loops: [NIOLoopBound<GatewayLoop>] = []
        var channels: [any Channel] = []
        var isStopping = false
        var shadow: ShadowPolicy?
    }

    /// - Parameters:
    ///   - listeners: Listening sockets, taken over when the gateway starts.
    ///   - eventLoops: Number of threads that serve connections; at least one.
    ///   - spans: Receives the spans of requests, if the configuration has tracing.
    ///   - saved: Resolved upstream names, saved by the previous process.
    ///   - uptime: Current time, on the clock of `saved` (milliseconds since boot).
    public convenience init(
        _ configuration: ProxyConfiguration, eventLoops: Int, listeners: [Listener], accessLog: AccessLog,
        spans: SpanQueue = SpanQueue(),
        restoring saved: SavedNames = SavedNames(), at uptime: Int64 = 0, logger: Logger
    ) {
        self.init(
            configuration, eventLoops: eventLoops, listeners: listeners, accessLog: accessLog, spans: spans,
            memory: MemoryWatch(), names: NameResolver(logger: logger, restoring: saved, at: uptime), logger: logger)
    }

    init(
        _ configuration: ProxyConfiguration, eventLoops: Int, listeners: [Listener], accessLog: AccessLog,
        spans: SpanQueue = SpanQueue(), memory: MemoryWatch,
        names: NameResolver, logger: Logger
    ) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, eventLoops))
        self.listeners = listeners
        names.keep(configuration.upstreamNames, plain: configuration.plainUpstreamNames)
        state = GatewayState(
            accessLog: accessLog, spans: spans, memory: memory, names: names, loopCount: max(1, eventLoops),
            logger: logger)
        running = Mutex(Running(configuration: configuration))
        state.whenMemoryIsShort { [weak self] in self?.forgetKnownTokens() }
    }

    /// Drops the token caches, which only save time. Called when memory is short.
    private func forgetKnownTokens() {
        let (configuration, shadow) = running.withLock { ($0.configuration, $0.shadow) }
        configuration.authorizer.forgetKnownTokens()
        shadow?.authorizer.forgetKnownTokens()
    }

    // MARK: State

    /// Addresses that the gateway listens on.
    public var boundAddresses: [String] { listeners.map(\.socket.address) }

    /// Configuration that new requests use.
    public var configuration: ProxyConfiguration { running.withLock { $0.configuration } }

    public var openConnections: Int { state.connections.open.load(ordering: .relaxed) }
    public var requestsInFlight: Int { state.requestsInFlight.count }
    /// Number of clients with a share in the requests in flight.
    var clientsInFlight: Int { state.requestsInFlight.clientCount }
    public var requestsWaitingForKeys: Int { state.requestsWaitingForKeys.load(ordering: .relaxed) }
    /// Number of requests begun since the start.
    public var requestCount: UInt64 { state.requests.load(ordering: .relaxed) }
    /// The fleet that load-balances a group's targets. Nil for one server without health checks and connection limits.
    func fleet(for group: UpstreamGroup) -> SharedFleet? { state.fleets.fleet(for: group) }

    /// True if requests are refused because memory is short.
    public var isShortOfMemory: Bool { state.memory.isShort }
    /// Resolved upstream names, for the process that replaces this one.
    ///
    /// - Parameter uptime: Current time, in milliseconds since boot.
    public func savedNames(at uptime: Int64) -> SavedNames { state.names.saved(at: uptime) }
    var memoryLevel: MemoryLevel { state.memory.level }
    /// True if draining has begun.
    public var isDraining: Bool { running.withLock { $0.isStopping } }

    // MARK: Start, reload and stop

    /// Starts the event loops and begins to accept connections.
    public func start() async throws {
        let configuration = configuration
        await findFirstAddresses(configuration)
        var loops: [NIOLoopBound<GatewayLoop>] = []
        for eventLoop in group.makeIterator() {
            let number = loops.count
            let loop = try await eventLoop.submit { [state] in
                let loop = GatewayLoop(on: eventLoop, number: number, of: state, configuration)
                loop.start()
                return NIOLoopBound(loop, eventLoop: eventLoop)
            }.get()
            loops.append(loop)
        }
        let shadow = running.withLock { running in
            running.loops = loops
            return running.shadow
        }
        if shadow != nil { await put(shadow) }
        for listener in listeners {
            let channel = try await bootstrap(loops, listener).withBoundSocket(listener.socket.descriptor).get()
            listener.socket.restoreBacklog()
            running.withLock { $0.channels.append(channel) }
        }
    }

    /// Switches every loop to the configuration. Requests in progress finish with theirs; none is dropped.
    public func reload(_ configuration: ProxyConfiguration) async {
        state.names.keep(
            self.configuration.upstreamNames.union(configuration.upstreamNames),
            plain: self.configuration.plainUpstreamNames.union(configuration.plainUpstreamNames))
        await findFirstAddresses(configuration)
        let loops = running.withLock { running in
            running.configuration = configuration
            return running.loops
        }
        for loop in loops {
            try? await loop.eventLoop.submit { loop.value.reload(configuration) }.get()
        }
        // Until here fleets of the old configuration are in use, and reported.
        state.fleets.keep(Set(configuration.upstreams))
        state.names.keep(configuration.upstreamNames, plain: configuration.plainUpstreamNames)
    }

    /// Has every request compared with the shadow policy from now on. Nil for none. The comparison never changes an
    /// answer.
    public func put(_ shadow: ShadowPolicy?) async {
        let loops = running.withLock { running in
            running.shadow = shadow
            return running.loops
        }
        for loop in loops { try? await loop.eventLoop.submit { loop.value.put(shadow) }.get() }
    }

    /// Ends the streams whose tokens are now on the deny list. Returns once every loop has checked its streams.
    public func denialsChanged() async {
        for loop in running.withLock({ $0.loops }) {
            try? await loop.eventLoop.submit { loop.value.denialsChanged() }.get()
        }
    }

    /// Waits for the first addresses of names whose addresses are used as targets, but no longer than the `connect`
    /// time-out.
    private func findFirstAddresses(_ configuration: ProxyConfiguration) async {
        let end = ContinuousClock.now + configuration.timeouts.connect
        let following = configuration.upstreams.compactMap(state.fleets.fleet).filter(\.followsNames)
        state.fleets.follow(state.names, at: EventLoopClock.now())
        while following.contains(where: \.awaitsAddresses), ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(5))
            state.names.refresh(at: EventLoopClock.now())
            state.fleets.follow(state.names, at: EventLoopClock.now())
        }
    }

    /// Drains and stops: continues for `drainDelay`, stops accepting, lets responses in progress end, and closes the
    /// remaining connections after `drain`.
    public func drain() async {
        let (timeouts, loops, isFirst) = running.withLock { running in
            defer { running.isStopping = true }
            return (running.configuration.timeouts, running.loops, !running.isStopping)
        }
        guard isFirst else { return }
        try? await Task.sleep(for: timeouts.drainDelay)
        await stopAccepting()
        for loop in loops { try? await loop.eventLoop.submit { loop.value.drain() }.get() }
        await waitForConnections(atMost: timeouts.drain)
        for loop in loops { try? await loop.eventLoop.submit { loop.value.stop() }.get() }
        try? await group.shutdownGracefully()
        await state.accessLog.close()
    }

    /// Stops accepting connections, without losing any that was accepted.
    ///
    /// A connection is set up on another loop than its listener's. Closing the listener before that would close the
    /// connection too.
    public func stopAccepting() async {
        let (listeners, loops) = running.withLock { running in
            defer { running.channels = [] }
            return (running.channels, running.loops)
        }
        for listener in listeners { try? await listener.setOption(.autoRead, value: false).get() }
        for loop in loops { try? await loop.eventLoop.submit {}.get() }
        for listener in listeners {
            try? await listener.eventLoop.submit {}.get()
            try? await listener.close()
        }
    }

    private func waitForConnections(atMost limit: Duration) async {
        let end = ContinuousClock.now + limit
        while openConnections > 0, ContinuousClock.now < end, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }

    // MARK: Accepting

    private func bootstrap(_ loops: [NIOLoopBound<GatewayLoop>], _ listener: Listener) -> ServerBootstrap {
        let byLoop = Dictionary(
            loops.map { (ObjectIdentifier($0.eventLoop), $0) }, uniquingKeysWith: { first, _ in first })
        return ServerBootstrap(group: group)
            // One at a time, so that the limit is exact.
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let gate = ConnectionGate(state) { self.configuration.limits.connections }
                    try channel.pipeline.syncOperations.addHandler(gate)
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.recvAllocator, value: ReceiveBuffers(within: state.memory))
            .childChannelOption(.writeBufferWaterMark, value: DataChannel.waterMark)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let loop = byLoop[ObjectIdentifier(channel.eventLoop)]?.value else {
                        throw ChannelError.operationUnsupported
                    }
                    try loop.server.accept(channel, for: listener.service, from: listener.proxies, at: listener.door)
                }
            }
    }
}
