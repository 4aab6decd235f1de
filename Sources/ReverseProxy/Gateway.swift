import Logging
import NIOCore
import NIOPosix
import ProxySettings
import RequestAuthorization
import Synchronization
import TokenVerification

/// The reverse proxy: it accepts connections, has each request judged, and relays what may pass.
///
/// Several event loops stand behind each listening socket: one accepts, and connections go to all of them in turn.
/// A connection, its upstream connections and its buffers stay on one loop.
public final class Gateway: Sendable {
    let group: MultiThreadedEventLoopGroup
    private let listeners: [Listener]
    let state: GatewayState
    private let running: Mutex<Running>

    private struct Running {
        var configuration: ProxyConfiguration
        var loops: [NIOLoopBound<GatewayLoop>] = []
        var channels: [any Channel] = []
        var isStopping = false
        var shadow: ShadowPolicy?
    }

    /// - Parameters:
    ///   - listeners: taken over when the gateway starts.
    ///   - eventLoops: threads that serve connections; at least one.
    ///   - saved: what the process before knew of upstreams' names.
    ///   - uptime: the present time, as that of `saved`.
    public convenience init(
        _ configuration: ProxyConfiguration, eventLoops: Int, listeners: [Listener], accessLog: AccessLog,
        restoring saved: SavedNames = SavedNames(), at uptime: Int64 = 0, logger: Logger
    ) {
        self.init(
            configuration, eventLoops: eventLoops, listeners: listeners, accessLog: accessLog, memory: MemoryWatch(),
            names: NameResolver(logger: logger, restoring: saved, at: uptime), logger: logger)
    }

    init(
        _ configuration: ProxyConfiguration, eventLoops: Int, listeners: [Listener], accessLog: AccessLog,
        memory: MemoryWatch,
        names: NameResolver, logger: Logger
    ) {
        group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, eventLoops))
        self.listeners = listeners
        names.keep(configuration.upstreamNames, plain: configuration.plainUpstreamNames)
        state = GatewayState(accessLog: accessLog, memory: memory, names: names, logger: logger)
        running = Mutex(Running(configuration: configuration))
        state.whenMemoryIsShort { [weak self] in self?.forgetKnownTokens() }
    }

    /// Memory is short, and they are only kept to save time.
    private func forgetKnownTokens() {
        let (configuration, shadow) = running.withLock { ($0.configuration, $0.shadow) }
        configuration.authorizer.forgetKnownTokens()
        shadow?.authorizer.forgetKnownTokens()
    }

    // MARK: What it is doing

    /// Where it listens.
    public var boundAddresses: [String] { listeners.map(\.socket.address) }

    /// The configuration that new requests get.
    public var configuration: ProxyConfiguration { running.withLock { $0.configuration } }

    public var openConnections: Int { state.connections.open.load(ordering: .relaxed) }
    public var requestsInFlight: Int { state.requestsInFlight.count }
    /// The clients of which a share in the requests in flight is kept.
    var clientsInFlight: Int { state.requestsInFlight.clientCount }
    public var requestsWaitingForKeys: Int { state.requestsWaitingForKeys.load(ordering: .relaxed) }
    /// Requests begun since the start.
    public var requestCount: UInt64 { state.requests.load(ordering: .relaxed) }
    /// The targets of a group; nil if there is nothing to choose.
    func fleet(for group: UpstreamGroup) -> SharedFleet? { state.fleets.fleet(for: group) }

    /// Whether requests are refused because memory is short.
    public var isShortOfMemory: Bool { state.memory.isShort }
    /// What the process after this one may need of upstreams' names.
    ///
    /// - Parameter uptime: the present time, in milliseconds since the boot.
    public func savedNames(at uptime: Int64) -> SavedNames { state.names.saved(at: uptime) }
    var memoryLevel: MemoryLevel { state.memory.level }
    /// Whether it has begun to end.
    public var isDraining: Bool { running.withLock { $0.isStopping } }

    // MARK: Life

    /// Begins to accept.
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

    /// Gives the configuration to every loop. Requests in progress end with theirs; none is dropped.
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
        // Until then those of before are in use, and shown.
        state.fleets.keep(Set(configuration.upstreams))
        state.names.keep(configuration.upstreamNames, plain: configuration.plainUpstreamNames)
    }

    /// Has every request compared with what another configuration says of it, from now on; nil: with none. Nothing that
    /// is done with a request depends on that.
    public func put(_ shadow: ShadowPolicy?) async {
        let loops = running.withLock { running in
            running.shadow = shadow
            return running.loops
        }
        for loop in loops { try? await loop.eventLoop.submit { loop.value.put(shadow) }.get() }
    }

    /// Ends the streams of tokens that the deny list names by now, and returns once every loop has looked through its
    /// own.
    public func denialsChanged() async {
        for loop in running.withLock({ $0.loops }) {
            try? await loop.eventLoop.submit { loop.value.denialsChanged() }.get()
        }
    }

    /// Waits for the first addresses of names whose addresses are targets, but no longer than a request waits for a
    /// connection.
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

    /// Ends: continues for `drainDelay`, stops accepting, lets responses in progress end, and closes what is left after
    /// `drain`.
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

    /// Takes no more connections, and loses none that was taken.
    ///
    /// A connection is set up on another loop than its listener's, which must not close in between: it would take the
    /// connection with it.
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
