import NIOCore
import RequestAuthorization

/// One event loop of the gateway: its connections, its upstreams, and its regular work.
final class GatewayLoop {
    let server: ConnectionServer
    private let number: Int
    let loop: LoopServices
    private let upstreams: Upstreams
    /// Health checks of targets. Nil if another loop does them.
    private let healthChecks: HealthChecks?
    private var sweep: RepeatedTask?
    /// Number of ticks between two sweeps of idle callers: ten seconds.
    private static let ticksBetweenSweeps: UInt64 = 40
    /// Time when the next tick is due, in nanoseconds.
    private var tickDue = Int64.max

    /// - Parameter number: Number of the loop, from 0. Loop 0 runs the health checks for all loops.
    init(on eventLoop: any EventLoop, number: Int, of gateway: GatewayState, _ configuration: ProxyConfiguration) {
        loop = LoopServices(on: eventLoop, of: gateway, configuration)
        self.number = number
        upstreams = Upstreams(configuration, gateway.fleets, loop.attempts, loop: number)
        server = ConnectionServer(on: loop, upstreams)
        healthChecks = number == 0 ? HealthChecks(on: loop) : nil
        findFleetsToCheck()
    }

    private func findFleetsToCheck() {
        healthChecks?.reload(
            Set(loop.configuration.upstreams).compactMap(loop.gateway.fleets.fleet), at: EventLoopClock.now())
    }

    func start() {
        let bound = NIOLoopBound(self, eventLoop: loop.eventLoop)
        loop.gateway.fleets.closers.add(on: number) { fleet, choice, completion in
            bound.eventLoop.execute {
                bound.value.upstreams.closeIdle(of: fleet, choice)
                completion()
            }
        }
        loop.gateway.hearOfMemory(on: number) { news in bound.eventLoop.execute { bound.value.heard(news) } }
        sweep = loop.eventLoop.scheduleRepeatedTask(
            initialDelay: EventLoopClock.tickLength, delay: EventLoopClock.tickLength
        ) { _ in
            bound.value.tick()
        }
    }

    /// Switches to a new configuration generation. Requests that begin from now on belong to it.
    func reload(_ configuration: ProxyConfiguration) {
        loop.reload(configuration)
        upstreams.reload(configuration)
        findFleetsToCheck()
    }

    func put(_ shadow: ShadowPolicy?) {
        loop.put(shadow)
    }

    /// Latest refusals and heaviest callers. Nil if none are kept.
    func readHistory() -> LoopHistory? { loop.readHistory() }

    /// Ends streams whose tokens are now denied.
    func denialsChanged() {
        loop.connections.forEach { $0.denialsChanged() }
    }

    /// Closes idle connections. The others close after their current answer.
    func drain() {
        loop.beginDraining()
        healthChecks?.stop()
        upstreams.closeAll()
        loop.connections.forEach { $0.drain() }
    }

    /// Closes the remaining connections.
    func stop() {
        loop.beginDraining()
        sweep?.cancel()
        loop.gateway.fleets.closers.remove(on: number)
        loop.gateway.hearOfMemory(on: number, nil)
        loop.connections.forEach { $0.stop() }
        upstreams.closeAll()
        loop.flushRecords()
    }

    private func heard(_ news: MemoryNews) {
        switch news {
        case .isShort: loop.connections.forEach { $0.memoryIsShort() }
        case .levelChanged: followMemory()
        }
    }

    /// Has every connection continue or stop reading, according to the memory level.
    private func followMemory() {
        loop.connections.forEach { $0.followMemory() }
    }

    private func tick() {
        let now = EventLoopClock.now()
        let gateway = loop.gateway
        gateway.loopDelays.add(lateness: now &- tickDue)
        gateway.names.refresh(at: now)
        gateway.watchMemory(at: now)
        loop.clock.advance()
        let tick = loop.clock.tick
        loop.noteMemory()
        if loop.memoryWasShort { followMemory() }
        loop.connections.forEach { $0.tick(tick) }
        if let healthChecks {
            // One loop does this for all.
            gateway.fleets.follow(gateway.names, at: now)
            healthChecks.tick(at: now)
            if tick % Self.ticksBetweenSweeps == 0 { loop.configuration.authorizer.forgetRestingCallers(at: now) }
        }
        upstreams.followFleets()
        upstreams.expire(at: tick)
        loop.flushRecords()
        tickDue = EventLoopClock.now() &+ EventLoopClock.tickLength.nanoseconds
    }
}

@available(*, unavailable)
extension GatewayLoop: Sendable {}
