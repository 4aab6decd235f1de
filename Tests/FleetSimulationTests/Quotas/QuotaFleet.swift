import Quotas
import RequestAuthorization
import TestSupport

/// A fleet of gateways with a quota counted by one store, in virtual time. Every request of the caller goes through the
/// state machines singly.
///
/// The store's script follows the rules of `QuotaRate`, so a separate `QuotaTable` replaces it.
final class QuotaFleet {
    /// Kind of failure of the store.
    enum Outage {
        /// The store is killed: connections break, new ones are refused, and its counts are lost.
        case killed
        /// The store does not answer, and keeps its counts.
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
    /// Table to which every request is charged at once: what a store that never fails would permit.
    private let reference = QuotaTable(limit: 1000)
    private var storeIsUp = true
    private var events = EventQueue<Event>()
    private var random: SeededGenerator
    private var now: Int64 = 0
    private var lastID = 0
    private let end: Int64
    private(set) var tally = Tally()
    private(set) var permittedByReference: Int64 = 0
    /// Time when the last node was connected again after the outage.
    private(set) var lastConnected: Int64 = 0
    /// Longest time that a request waited for the store.
    private(set) var longestWait: Int64 = 0
    private var cameAt: [Int: Int64] = [:]

    private static let roundTrip = 1 * VirtualTime.millisecond...5 * VirtualTime.millisecond

    /// - Parameters:
    ///   - rates: requests per second of the caller, by node.
    ///   - processes: number of processes that share the store, as in the file.
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
        // Requests made before the end are answered after it.
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

    /// Judges requests once more whose store request has ended.
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
        // Refused at once, or given up without an answer.
        let silence = outage == .silent ? VirtualTime.nanoseconds(StoreClient.patience) : 0
        events.push(.connect(index), at: now + silence + nodes[index].client.fail())
    }
}
