import Quotas
import RequestAuthorization
import TestSupport

/// A fleet of gateways whose quota is counted by one store, in virtual time. Every request of the caller goes through
/// the machines by itself.
///
/// The store's script has the rules of `QuotaRate`, so a `QuotaTable` of its own stands for it.
final class QuotaFleet {
    /// How the store fails.
    enum Outage {
        /// It is killed: connections break, new ones are refused, and what it counted is lost.
        case killed
        /// It answers nothing, and knows everything afterwards.
        case silent
    }

    private enum Event {
        case arrival(Int)
        case storeReads(Int, connection: Int, id: Int)
        case storeAnswers(Int, connection: Int, QuotaVerdict)
        case check(Int)
        case connect(Int)
        case outageBegins
        case outageEnds
    }

    private final class Node {
        let authorizer: RequestAuthorizer
        var client: StoreClient
        let arrivals: Arrivals
        var counted: Int64 = 0
        var lastAnswer: Int64 = 0
        var asked: [Int: (request: AuthorizationRequest, charges: [QuotaCharge])] = [:]

        init(_ authorizer: RequestAuthorizer, _ arrivals: Arrivals) {
            self.authorizer = authorizer
            self.arrivals = arrivals
            client = StoreClient(timeout: .milliseconds(50))
        }
    }

    private let nodes: [Node]
    private let outage: Outage
    private let request: AuthorizationRequest
    private var store = QuotaTable(limit: 1000)
    /// One table that every request is charged to when it comes: what a store that never fails would permit.
    private let reference = QuotaTable(limit: 1000)
    private var storeIsUp = true
    private var events = EventQueue<Event>()
    private var random: SeededGenerator
    private var now: Int64 = 0
    private var lastID = 0
    private let end: Int64
    private(set) var tally = Tally()
    private(set) var permittedByReference: Int64 = 0
    /// When the last node was connected again after the outage.
    private(set) var lastConnected: Int64 = 0
    /// The longest that a request waited for the store.
    private(set) var longestWait: Int64 = 0
    private var cameAt: [Int: Int64] = [:]

    private static let roundTrip = 1 * VirtualTime.millisecond...5 * VirtualTime.millisecond

    /// - Parameters:
    ///   - rates: requests of the caller in a second, by node.
    ///   - processes: what the file says of how many share the store.
    init(
        _ scale: FleetScale, _ quota: Quota, rates: [Int64], processes: Int, _ outage: Outage, from begin: Int64,
        to finish: Int64,
        until end: Int64
    ) throws {
        var random = SeededGenerator(seed: scale.seed)
        self.outage = outage
        self.end = end
        request = try SampleGateway.request(SampleGateway.token(TestKeys.rsa))
        nodes = try rates.map { rate in
            let authorizer = try SampleGateway.authorizer(
                SampleGateway.storeWithKeys(), quotas: [quota],
                accounting: .shared(QuotaTable(limit: 1000), processes: processes))
            let first = Int64.random(in: 0..<VirtualTime.second / max(1, rate), using: &random)
            return Node(authorizer, Arrivals(rate: rate, first: first, end: end))
        }
        self.random = random
        for index in nodes.indices { expect(index) }
        events.push(.outageBegins, at: begin)
        events.push(.outageEnds, at: finish)
    }

    func run() {
        // What was asked before the end has its answer after it.
        while let (time, event) = events.pop(), time <= end + 2 * VirtualTime.second {
            now = time
            perform(event)
            for node in nodes { settle(node) }
        }
    }

    private func perform(_ event: Event) {
        switch event {
        case .arrival(let index): arrived(index)
        case .storeReads(let index, let connection, let id):
            let node = nodes[index]
            guard storeIsUp, connection == node.client.connection, let asked = node.asked[id] else { return }
            let verdict = store.charge(asked.charges, at: now)
            node.lastAnswer = max(node.lastAnswer, now + Int64.random(in: Self.roundTrip, using: &random) / 2)
            events.push(.storeAnswers(index, connection: connection, verdict), at: node.lastAnswer)
        case .storeAnswers(let index, let connection, let verdict):
            guard connection == nodes[index].client.connection, nodes[index].client.isConnected else { return }
            nodes[index].client.take(verdict)
        case .check(let index): check(index)
        case .connect(let index): connect(index)
        case .outageBegins:
            storeIsUp = false
            guard outage == .killed else { return }
            store = QuotaTable(limit: 1000)
            for index in nodes.indices { fail(index) }
        case .outageEnds: storeIsUp = true
        }
    }

    // MARK: Requests

    private func expect(_ index: Int) {
        guard let time = nodes[index].arrivals.time(of: nodes[index].counted) else { return }
        nodes[index].counted += 1
        events.push(.arrival(index), at: time)
    }

    private func arrived(_ index: Int) {
        expect(index)
        let node = nodes[index]
        var request = request
        request.counting = RequestCounting(high: 0, low: 1, now: now)
        let fate = Fate(node.authorizer.authorize(&request, at: VirtualTime.date(now)))
        guard case .waitsForQuotas(let charges) = fate else { return tally.note(fate, last: now) }
        if case .granted = reference.charge(charges, at: now) { permittedByReference += 1 }
        lastID += 1
        cameAt[lastID] = now
        node.asked[lastID] = (request, charges)
        guard node.client.ask(charges, id: lastID, at: now) else { return }
        let way = Int64.random(in: Self.roundTrip, using: &random) / 2
        events.push(.storeReads(index, connection: node.client.connection, id: lastID), at: now + way)
        if let check = node.client.nextCheck(at: now) { events.push(.check(index), at: check) }
    }

    /// Judges those once more whose question has ended.
    private func settle(_ node: Node) {
        for (id, verdict) in node.client.ends.take() {
            guard var (request, _) = node.asked.removeValue(forKey: id) else { continue }
            request.quotaAnswer = verdict.map { .verdict($0) } ?? .unreachable
            request.counting = RequestCounting(high: 0, low: 1, now: now)
            tally.note(Fate(node.authorizer.authorize(&request, at: VirtualTime.date(now))), last: now)
            longestWait = max(longestWait, now - (cameAt.removeValue(forKey: id) ?? now))
        }
    }

    // MARK: The connection

    private func check(_ index: Int) {
        guard nodes[index].client.isConnected else { return }
        guard nodes[index].client.check(at: now) else { return fail(index) }
        if let check = nodes[index].client.nextCheck(at: now) { events.push(.check(index), at: check) }
    }

    private func fail(_ index: Int) {
        let pause = nodes[index].client.fail()
        events.push(.connect(index), at: now + pause)
    }

    private func connect(_ index: Int) {
        guard !storeIsUp else {
            nodes[index].client.connect()
            lastConnected = now
            return
        }
        // Refused at once, or given up when nothing comes.
        let silence = outage == .silent ? VirtualTime.nanoseconds(StoreClient.patience) : 0
        events.push(.connect(index), at: now + silence + nodes[index].client.fail())
    }
}
