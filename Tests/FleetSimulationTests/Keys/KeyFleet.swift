import JOSE
import JOSESigning
import KeySets
import TestSupport
import TokenVerification

/// A fleet of gateways and the issuer whose keys they fetch, in virtual time.
///
/// The state machines are the gateway's own. Simulated are the response times of the issuer and the arrival of
/// requests. A request that would wait is simulated singly. Of other requests only the first and the last between two
/// changes of a node's state are judged, and those between are counted: `KeyNode.unexplained` counts the spans in which
/// these two differed.
final class KeyFleet {
    private enum Event {
        case script(Int)
        case start(Int)
        case wakeUp(Int)
        case fetchRead(Int, KeySetLifecycle.FetchNumber)
        case fetchEnded(Int, KeySetLifecycle.FetchNumber, SimulatedIssuer.Answer)
        case arrival(node: Int, traffic: Int, number: Int64)
        /// The keys of a node become too old.
        case stale(Int)
    }

    let scale: FleetScale
    let nodes: [KeyNode]
    var issuer: SimulatedIssuer
    /// True if every request is judged singly.
    let judgesEach: Bool
    private(set) var now: Int64 = 0
    private var events = EventQueue<Event>()
    private var random: SeededGenerator
    private var scripts: [(KeyFleet) -> Void] = []
    /// Start of the measurement of how soon nodes have the issuer's present keys.
    private var mark: Int64 = 0
    private var caughtUpAt: [Int: Int64] = [:]
    private let configuration: KeySetConfiguration
    private let saved: SavedKeySet?

    /// Total response time of the issuer.
    private static let latency = 20 * VirtualTime.millisecond...80 * VirtualTime.millisecond

    init(
        _ scale: FleetScale, _ issuer: SimulatedIssuer, restoring saved: SavedKeySet? = nil, judgesEach: Bool = false,
        configure: (inout KeySetConfiguration) -> Void = { _ in }
    ) throws {
        var configuration = KeySetConfiguration(
            source: .jwkSetURL("https://iss.example/keys"), issuer: "https://iss.example")
        configure(&configuration)
        self.scale = scale
        self.issuer = issuer
        self.judgesEach = judgesEach
        self.configuration = configuration
        self.saved = saved
        random = SeededGenerator(seed: scale.seed)
        nodes = try (0..<scale.nodes).map { _ in try KeyNode(configuration) }
    }

    // MARK: What happens

    /// Starts all nodes within this time span.
    func start(within span: Int64 = 0) {
        for node in nodes.indices {
            events.push(.start(node), at: now + (span > 0 ? Int64.random(in: 0..<span, using: &random) : 0))
        }
    }

    func at(_ time: Int64, _ script: @escaping (KeyFleet) -> Void) {
        scripts.append(script)
        events.push(.script(scripts.count - 1), at: time)
    }

    /// Sends requests of a kind to every node from a time on, at this rate per second for all nodes together.
    func send(_ kind: TrafficKind, rate: Int64, by key: SigningKey, from begin: Int64 = 0, until end: Int64) throws {
        let request = try SampleGateway.request(SampleGateway.token(key))
        for (index, node) in nodes.enumerated() {
            let ofNode = max(1, rate / Int64(nodes.count))
            let first = begin + Int64.random(in: 0..<VirtualTime.second / ofNode, using: &random)
            node.traffic.append(
                KeyNode.Traffic(kind: kind, arrivals: Arrivals(rate: ofNode, first: first, end: end), request: request))
            // Judges the new requests, and makes the first one an event if it would wait.
            scripts.append { $0.changed(index) }
            events.push(.script(scripts.count - 1), at: begin)
        }
    }

    func run(until end: Int64) {
        while let next = events.nextTime, next <= end, let (time, event) = events.pop() {
            now = time
            perform(event)
        }
        now = end
        for node in nodes { node.count(until: end) }
    }

    private func perform(_ event: Event) {
        switch event {
        case .script(let index): scripts[index](self)
        case .start(let node):
            if saved != nil { change(node) { $0.lifecycle.beginRestoring(at: moment) } }
            let jitter = jitter()
            change(node) { $0.lifecycle.start(restoring: saved, at: moment, jitter: jitter) }
        case .wakeUp(let node):
            guard nodes[node].wakeUpAt == now else { return }
            nodes[node].wakeUpAt = nil
            let jitter = jitter()
            change(node) { $0.lifecycle.wakeUp(at: moment, jitter: jitter) }
        case .fetchRead(let node, let number): read(number, of: node)
        case .fetchEnded(let node, let number, let answer): ended(number, of: node, answer)
        case .arrival(let node, let traffic, let number): arrived(node, traffic, number)
        case .stale(let node): changed(node)
        }
    }

    private var moment: Moment { VirtualTime.moment(now) }

    private func jitter() -> Double { Double.random(in: 0..<1, using: &random) }

    // MARK: Fetches

    private func begin(_ number: KeySetLifecycle.FetchNumber, of node: Int) {
        nodes[node].fetches.insert(number)
        events.push(.fetchRead(node, number), at: now + Int64.random(in: Self.latency, using: &random) / 2)
    }

    private func read(_ number: KeySetLifecycle.FetchNumber, of node: Int) {
        let answer = issuer.answer(at: now)
        let rest =
            if case .silence = answer { VirtualTime.nanoseconds(configuration.fetchDeadline) } else {
                Int64.random(in: Self.latency, using: &random) / 2
            }
        events.push(.fetchEnded(node, number, answer), at: now + rest)
    }

    private func ended(_ number: KeySetLifecycle.FetchNumber, of node: Int, _ answer: SimulatedIssuer.Answer) {
        guard nodes[node].fetches.remove(number) != nil else { return }
        let jitter = jitter()
        if case .keys = answer { caughtUpAt[node] = caughtUpAt[node] ?? now }
        change(node) { node in
            switch answer {
            case .keys(let keys): node.lifecycle.fetchSucceeded(number, with: keys, at: moment, jitter: jitter)
            case .failed(let retryAfter):
                node.lifecycle.fetchFailed(number, retryAfter: retryAfter, at: moment, jitter: jitter)
            case .silence: node.lifecycle.fetchFailed(number, at: moment, jitter: jitter)
            }
        }
    }

    // MARK: A node's state

    /// Applies an event of the node's state machine. Earlier requests are counted by the state before.
    private func change(_ node: Int, _ event: (KeyNode) -> [KeySetLifecycle.Action]) {
        nodes[node].count(until: now)
        handle(event(nodes[node]), of: node)
        changed(node)
    }

    private func handle(_ actions: [KeySetLifecycle.Action], of node: Int) {
        for action in actions {
            switch action {
            // The source has a set, so no key is fetched alone.
            case .startFetch(let number), .startKeyFetch(let number, _): begin(number, of: node)
            case .cancelFetch(let number): nodes[node].fetches.remove(number)
            case .publish:
                nodes[node].store.publish(nodes[node].lifecycle.snapshot)
                nodes[node].judgeAnew(at: now)
            case .answer(let waiters, let answer): nodes[node].answer(waiters, answer, at: now)
            case .scheduleWakeUp(let instant):
                // A timer fires a little late.
                let time = max(now, VirtualTime.time(of: instant)) + VirtualTime.millisecond
                nodes[node].wakeUpAt = time
                events.push(.wakeUp(node), at: time)
            }
        }
    }

    /// Judges requests anew after a change, and schedules the next change by time alone.
    private func changed(_ node: Int) {
        nodes[node].count(until: now)
        nodes[node].judgeAnew(at: now)
        for traffic in nodes[node].traffic.indices { expect(traffic, of: node) }
        guard let fetchedAt = nodes[node].lifecycle.snapshot.fetchedAt else { return }
        let limit = fetchedAt + configuration.staleLimit
        guard VirtualTime.date(now) < limit else { return }
        events.push(.stale(node), at: VirtualTime.first(at: limit))
    }

    // MARK: Requests one by one

    /// Makes the next request of a kind an event if it must be judged singly.
    private func expect(_ traffic: Int, of node: Int) {
        let next = nodes[node].traffic[traffic]
        guard judgesEach || next.fate == .waits && nodes[node].hasRoomToWait else { return }
        guard let time = next.arrivals.time(of: next.counted) else { return }
        events.push(.arrival(node: node, traffic: traffic, number: next.counted), at: max(now, time))
    }

    private func arrived(_ node: Int, _ traffic: Int, _ number: Int64) {
        let gateway = nodes[node]
        guard gateway.traffic[traffic].counted == number else { return }
        gateway.count(until: now)
        gateway.traffic[traffic].counted += 1
        let kind = gateway.traffic[traffic].kind
        let keyID =
            switch kind {
            case .usual: TestKeys.rsa.keyID
            case .rotated: KeyScenarios.newKey.keyID
            case .stray: "stray-\(node)-\(number)"
            }
        let actions = gateway.receive(traffic, keyID: keyID, isJudged: judgesEach, at: now)
        handle(actions, of: node)
        if actions.contains(.publish) { changed(node) } else { expect(traffic, of: node) }
    }

    // MARK: What came of it

    /// Starts measuring when nodes fetch the issuer's present keys.
    func beginCatchingUp() { (mark, caughtUpAt) = (now, [:]) }

    /// Time from the start of the measurement until the last node had the keys. Nil if not all have them.
    var caughtUpAfter: Int64? { caughtUpAt.count < nodes.count ? nil : caughtUpAt.values.max().map { $0 - mark } }

    func tally(_ kind: TrafficKind) -> Tally {
        nodes.reduce(into: Tally()) { $0.add($1.tallies[kind] ?? Tally()) }
    }

    var unexplained: Int { nodes.reduce(0) { $0 + $1.unexplained } }
}
