import AuthorizationDoors
import Logging
import Logs
import MetricFamilies
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import Synchronization
import Telemetry

/// State shared by all event loops of a gateway: mostly counters. No request waits for it.
final class GatewayState: Sendable {
    let accessLog: AccessLog
    let spans: SpanQueue
    let logger: Logger
    /// Number of event loops.
    private let loopCount: Int
    let connections = ConnectionCounts()
    let requestsInFlight = RequestsInFlight()
    let requestsWaitingForKeys = Atomic<Int>(0)
    let requests = Atomic<UInt64>(0)
    let failedVerifications = FailedVerifications()
    let unaskedKeyIDs = UnaskedKeyIDs()
    let memory: MemoryWatch
    /// Memory of request bodies that are held for replay.
    let heldBodies = HeldBodyBudget()
    /// Callbacks for changes of memory, by the number of the event loop. They free storage kept only in case it is
    /// needed.
    private let memoryListeners = Mutex<[Int: @Sendable (MemoryNews) -> Void]>([:])
    /// Frees data that is kept only to save time (token caches), when memory is short.
    private let relief = Mutex<@Sendable () -> Void>({})
    private let heap = HeapTrimmer()
    let names: NameResolver
    let fleets: FleetDirectory
    /// Counters by subject; ``trafficFamilies(observed:)`` has the order of `/metrics`.
    let decisions = DecisionCounts()
    let doorAnswers = DoorAnswer.counter()
    let limits = CaseCounter<GatewayLimit>()
    let loopDelays = CaseCounter<LoopDelay>()
    let unexpectedEvents = Atomic<UInt64>(0)
    let shadowCounts = ShadowCounts()
    let requestCounts = RequestCounts()
    let attempts = UpstreamCounts()
    /// Time when a connection without a valid PROXY header was last logged.
    private let refusedProxyNoted = Mutex<NIODeadline?>(nil)
    /// Time when a failed TLS handshake with each target was last logged.
    private let refusals = Mutex<[UpstreamTarget: NIODeadline]>([:])
    private static let refusalInterval = TimeAmount.seconds(10)
    /// Open connections by client address, counted only while there is a limit for them.
    private let openConnections = AddressCounts()
    /// Requests that wait for realms without a place.
    private let requestsWaitingForRealms = Atomic<Int>(0)
    /// Requests that wait for introspection of an opaque token, by client.
    let introspections = AddressCounts()
    /// Last configuration generation under which ``noteUntrustedProxy(_:limit:generation:)`` logged.
    private let untrustedProxyNoted = Atomic<Int>(0)
    /// Last configuration generation under which ``noteMissingAddress(at:generation:)`` logged.
    private let missingAddressNoted = Atomic<Int>(0)
    /// Callbacks of listeners that wait until a connection closes, because a limit is reached.
    private let roomListeners = Mutex<[@Sendable () -> Void]>([])

    init(
        accessLog: AccessLog, spans: SpanQueue = SpanQueue(), memory: MemoryWatch, names: NameResolver,
        loopCount: Int = 1, logger: Logger
    ) {
        self.accessLog = accessLog
        self.spans = spans
        self.memory = memory
        self.names = names
        self.loopCount = max(1, loopCount)
        self.logger = logger
        fleets = FleetDirectory(logger: logger)
    }

    /// Makes the empty history of one event loop. Nil if none is kept.
    func makeHistory(_ settings: HistorySettings?) -> LoopHistory? {
        settings.map { LoopHistory(capacity: $0.refusals / loopCount) }
    }

    /// Increments a counter. False, without counting, if the limit is reached.
    static func enter(_ counter: borrowing Atomic<Int>, limit: Int) -> Bool {
        let count = counter.wrappingAdd(1, ordering: .relaxed).newValue
        guard count > limit else { return true }
        leave(counter)
        return false
    }

    static func leave(_ counter: borrowing Atomic<Int>) {
        counter.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Takes a slot among the requests that wait for keys or introspection.
    func enterWait(_ waiter: KeyWaiter, limit: Int) -> Bool {
        guard enterShare(of: waiter, limit: limit - limit / 2) else { return false }
        if Self.enter(requestsWaitingForKeys, limit: limit) { return true }
        leaveShare(of: waiter)
        return false
    }

    func leaveWait(_ waiter: KeyWaiter) {
        Self.leave(requestsWaitingForKeys)
        leaveShare(of: waiter)
    }

    /// - Parameter half: half of all slots, rounded up: the most that may wait because of one client's choice.
    private func enterShare(of waiter: KeyWaiter, limit half: Int) -> Bool {
        switch waiter {
        case .keys, .introspection(nil): true
        case .unknownRealm: Self.enter(requestsWaitingForRealms, limit: half)
        case .introspection(let client?): introspections.enter(client, limit: half)
        }
    }

    private func leaveShare(of waiter: KeyWaiter) {
        switch waiter {
        case .keys, .introspection(nil): break
        case .unknownRealm: Self.leave(requestsWaitingForRealms)
        case .introspection(let client?): introspections.leave(client)
        }
    }

    // MARK: Metrics

    func met(_ limit: GatewayLimit) {
        limits.add(limit)
    }

    /// Counts an event that a request's state machine did not expect.
    func unexpectedEvent() {
        unexpectedEvents.wrappingAdd(1, ordering: .relaxed)
    }

    /// - Parameter observed: Rules now in observe mode.
    func trafficFamilies(observed: [ObservedRule]) -> [MetricFamily] {
        [decisions.finished.family] + connections.families + [doorAnswers.family, requestsInFlight.family]
            + [
                .gauge(
                    "bearward_requests_waiting_for_keys",
                    "Requests that wait for an issuer's keys or introspection answer.",
                    requestsWaitingForKeys.load(ordering: .relaxed)),
                heldBodies.family, limits.family, loopDelays.family,
                .counter(
                    "bearward_unexpected_events_total",
                    "Events that a request's state machine did not expect; each is a defect.",
                    unexpectedEvents.load(ordering: .relaxed)),
                .gauge(
                    "bearward_observed_rules", "Rules that are now in observe mode and refuse no request.",
                    observed.count),
                .gauge(
                    "bearward_observe_until_timestamp_seconds",
                    "When a rule in observe mode begins to refuse requests, in seconds since 1970.",
                    observed.map(\.sample)),
                decisions.observed.family,
            ]
    }

    // MARK: Upstreams

    /// Logs a failed TLS handshake with an upstream target, at most every ten seconds for each target.
    func noteRefusal(of target: UpstreamTarget, cause: String) {
        let now = NIODeadline.now()
        let isDue = refusals.withLock { refusals in
            guard refusals[target].map({ now - $0 >= Self.refusalInterval }) ?? true else { return false }
            refusals = refusals.filter { now - $0.value < Self.refusalInterval }
            refusals[target] = now
            return true
        }
        guard isDue else { return }
        logger.warning("TLS handshake with upstream failed", [.upstream: .text(target.name), .cause: .text(cause)])
    }

    // MARK: PROXY protocol

    /// Counts a connection whose peer may not send a PROXY header, and logs it, at most every ten seconds.
    func refuse(_ peer: ClientAddress) {
        connections.proxyHeaders.add(.untrusted)
        guard isRefusalDue else { return }
        logger.warning("A connection was closed: its peer is not in proxy_protocol", [.address: .text(peer.text)])
    }

    /// Logs that a peer in `proxy_protocol` sent no valid PROXY header, at most every ten seconds.
    func note(_ peer: ClientAddress, _ rejection: ProxyHeaderRejection) {
        guard isRefusalDue else { return }
        logger.warning(
            "A connection was closed: it did not begin with a PROXY header",
            [.address: .text(peer.text), .cause: .text(rejection.text)])
    }

    private var isRefusalDue: Bool {
        let now = NIODeadline.now()
        return refusedProxyNoted.withLock { noted in
            guard noted.map({ now - $0 >= Self.refusalInterval }) ?? true else { return false }
            noted = now
            return true
        }
    }

    // MARK: Limits

    /// Logs that an address which may be an untrusted proxy hit its limit of failed verifications. All clients behind
    /// the proxy share that limit. Logged once for each configuration.
    func noteUntrustedProxy(_ address: [UInt8], limit: Int, generation: Int) {
        guard untrustedProxyNoted.max(generation, ordering: .relaxed).oldValue < generation else { return }
        logger.warning(
            """
            An address that sends X-Forwarded-For and is not in trusted_proxies hit failed_verifications_per_address; \
            if it is a proxy of yours, all of its clients share that limit until it is in trusted_proxies
            """,
            [.address: .text(String(decoding: address, as: UTF8.self)), .limit: .number(limit)])
    }

    /// Logs that a proxy at a door states no client address, so no limit by address applies there. Logged once for each
    /// configuration.
    func noteMissingAddress(at door: Door, generation: Int) {
        guard missingAddressNoted.max(generation, ordering: .relaxed).oldValue < generation else { return }
        logger.warning(
            "A proxy at a door states no client address in X-Forwarded-For; no limit by address applies there",
            [.door: .text(door.kind.rawValue)])
    }

    // MARK: Memory

    /// Checks the available memory, if a check is due, and trims the heap.
    func watchMemory(at now: Int64) {
        heap.look(at: now)
        lookAtMemory(at: now)
    }

    /// Notes memory allocated for a client or an upstream, and checks the available memory if that makes a check due.
    func tookMemory(_ byteCount: Int) {
        if memory.take(byteCount) { lookAtMemory(at: EventLoopClock.now()) }
    }

    private func lookAtMemory(at now: Int64) {
        let change = memory.look(at: now) {
            relief.withLock { $0 }()
            tell(.isShort)
        }
        guard let change, change.before != change.after else { return }
        if change.before == .ample {
            logger.warning("Memory is short; requests are refused until enough is free again")
        }
        if change.after == .out { met(.memory) }
        if change.before == .out { announceRoom() }
        tell(.levelChanged)
    }

    private func tell(_ news: MemoryNews) {
        for listener in memoryListeners.withLock({ Array($0.values) }) { listener(news) }
    }

    /// Sets or removes the callback of an event loop.
    ///
    /// - Parameters:
    ///   - loop: Number of the event loop.
    ///   - listener: Called on any thread. Nil removes the callback, because the loop stops.
    func hearOfMemory(on loop: Int, _ listener: (@Sendable (MemoryNews) -> Void)?) {
        memoryListeners.withLock { $0[loop] = listener }
    }

    /// - Parameter relief: Called on any thread.
    func whenMemoryIsShort(_ relief: @escaping @Sendable () -> Void) {
        self.relief.withLock { $0 = relief }
    }

    // MARK: Connections

    func connectionOpened() {
        connections.open.wrappingAdd(1, ordering: .relaxed)
        connections.accepted.wrappingAdd(1, ordering: .relaxed)
    }

    func connectionClosed() {
        connections.open.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        announceRoom()
    }

    /// Calls the listeners that wait for a connection to close.
    func announceRoom() {
        let waiting = roomListeners.withLock { listeners in
            defer { if !listeners.isEmpty { listeners = [] } }
            return listeners
        }
        for listener in waiting { listener() }
    }

    /// Calls back once, when the next connection closes.
    func whenConnectionCloses(_ listener: @escaping @Sendable () -> Void) {
        roomListeners.withLock { $0.append(listener) }
    }

    /// Counts a connection of an address. False, without counting, if the limit is reached.
    func enter(_ address: IPAddress, limit: Int) -> Bool {
        openConnections.enter(address, limit: limit)
    }

    func leave(_ address: IPAddress) {
        openConnections.leave(address)
    }
}

/// Request that waits for keys or introspection.
enum KeyWaiter: Sendable, Hashable {
    /// The configuration decides which keys are awaited.
    case keys
    /// Clients choose the realms of tokens, so all that wait for unknown realms have half of the slots.
    case unknownRealm
    /// A client chooses an opaque token, which its issuer may introspect slowly, so no client may have more than half
    /// of the slots. Nil if the client is unknown.
    case introspection(IPAddress?)
}
