import AccessControl
import JOSE
import JOSESigning
import SharedState
import TestSupport
import TokenVerification

@testable import Denials

/// A fleet of gateways that share denials through a store or read the same file, in virtual time.
final class DenialFleet {
    enum Failure: Error {
        case noSecret
    }

    private enum Event {
        case exchange(Int)
        case takeOver(Int, [DenialRecord])
        case look(Int)
        /// The operator denies the token at the first node.
        case deny
        case changeFile
        case store(isUp: Bool)
    }

    let scale: FleetScale
    let nodes: [DenialNode]
    private let store: SimulatedRecordStore
    private let settings = StoreSettings(host: "127.0.0.1", port: 6379, secret: SampleGateway.secret)
    private var events = EventQueue<Event>()
    private var random: SeededGenerator
    private(set) var now: Int64 = 0
    private var fileChangedAt: Int64?
    private var readFile: Set<Int> = []
    /// Requests with the stolen token before its denial.
    private var before = Tally()
    private var end: Int64 = 0

    /// Round trip to the store.
    private static let roundTrip = 1 * VirtualTime.millisecond...5 * VirtualTime.millisecond
    /// Time to read a short file that has changed.
    private static let reading = 1 * VirtualTime.millisecond...5 * VirtualTime.millisecond
    static let stolen = "stolen"

    /// - Parameter rate: requests per second with the stolen token, at all nodes together.
    init(_ scale: FleetScale, rate: Int64, until end: Int64) throws {
        self.scale = scale
        self.end = end
        let (store, settings) = (SimulatedRecordStore(orderLength: DenialSeal.orderLength), settings)
        self.store = store
        var random = SeededGenerator(seed: scale.seed)
        let (stolen, others) = (
            SampleGateway.token(TestKeys.rsa, id: Self.stolen), SampleGateway.token(TestKeys.rsa, id: "another")
        )
        func traffic(_ token: String, _ rate: Int64) throws -> DenialNode.Traffic {
            let ofNode = max(1, rate / Int64(scale.nodes))
            let first = Int64.random(in: 0..<VirtualTime.second / ofNode, using: &random)
            return DenialNode.Traffic(
                arrivals: Arrivals(rate: ofNode, first: first, end: end), request: try SampleGateway.request(token))
        }
        nodes = try (0..<scale.nodes).map { _ in
            try DenialNode(settings, store, stolen: traffic(stolen, rate), others: traffic(others, scale.rate - rate))
        }
        self.random = random
        for node in nodes.indices {
            push(
                .exchange(node),
                after: Int64.random(in: 0..<VirtualTime.nanoseconds(DenialRegister.peerInterval), using: &self.random))
            push(
                .look(node),
                after: Int64.random(in: 0..<VirtualTime.nanoseconds(DenialRegister.interval), using: &self.random))
        }
    }

    private func push(_ event: Event, after span: Int64) { events.push(event, at: now + span) }

    func denyByAPI(at time: Int64) { events.push(.deny, at: time) }

    func denyByFile(at time: Int64) { events.push(.changeFile, at: time) }

    func storeIsDown(from begin: Int64, to end: Int64) {
        events.push(.store(isUp: false), at: begin)
        events.push(.store(isUp: true), at: end)
    }

    func run() async {
        while let (time, event) = events.pop(), time <= end {
            now = time
            await perform(event)
        }
        now = end
        for node in nodes { node.count(until: end) }
    }

    private func perform(_ event: Event) async {
        switch event {
        case .exchange(let index):
            let taken = await nodes[index].peers.exchange(knowing: nodes[index].records).taken
            push(.takeOver(index, taken), after: Int64.random(in: Self.roundTrip, using: &random))
        case .takeOver(let index, let taken):
            takeOver(taken, at: nodes[index])
            push(.exchange(index), after: VirtualTime.nanoseconds(DenialRegister.peerInterval))
        case .look(let index):
            if fileChangedAt != nil, readFile.insert(index).inserted { readList(at: nodes[index]) }
            push(.look(index), after: VirtualTime.nanoseconds(DenialRegister.interval))
        case .deny:
            noteDenial()
            let decision = nodes[0].records.add(Self.entry(at: now), at: VirtualTime.date(now))
            nodes[0].putEntries(at: now)
            _ = await nodes[0].peers.tell([decision])
        case .changeFile:
            noteDenial()
            fileChangedAt = now
        case .store(let isUp): store.setUp(isUp)
        }
    }

    /// Ends the time in which the token was valid.
    private func noteDenial() {
        for node in nodes { node.count(until: now) }
        before = nodes.reduce(into: Tally()) { $0.add($1.stolen.tally) }
    }

    private static func entry(at now: Int64) -> DenyEntry {
        DenyEntry(issuer: "main", .tokenID, stolen, expires: VirtualTime.date(now) + .seconds(86_400))
    }

    /// Applies received decisions as the register does.
    private func takeOver(_ taken: [DenialRecord], at node: DenialNode) {
        let date = VirtualTime.date(now)
        var merged = node.records
        let news = taken.filter { date < $0.entry.expires && merged.merge($0) }
        merged.forget(at: date)
        guard !news.isEmpty else { return }
        node.records = merged
        node.putEntries(at: now)
    }

    private func readList(at node: DenialNode) {
        let issuers = DenyIssuers([
            TrustedIssuer(name: "main", identifier: "https://iss.example", algorithms: .all, tokenType: .accessTokenJWT)
        ])
        var reader = DenyLinesReader(node.list.digests, issuers: issuers, at: VirtualTime.date(now))
        reader.take(Array(#"{"issuer":"main","jti":"\#(Self.stolen)"}"#.utf8).span)
        guard let table = reader.finish() else { return }
        node.replace(.file, by: table, at: now + Int64.random(in: Self.reading, using: &random))
    }

    // MARK: What came of it

    func outcome(_ name: String, since begin: Int64) -> FleetOutcome {
        let times = nodes.compactMap(\.deniedAt)
        let all = nodes.reduce(into: Tally()) { $0.add($1.stolen.tally) }
        let others = nodes.reduce(into: Tally()) { $0.add($1.others.tally) }
        return FleetOutcome(
            name: name, good: others.all + before.all, goodRefused: others.notForwarded + before.notForwarded,
            badForwarded: all.forwarded - before.forwarded,
            converged: times.count == nodes.count ? times.max().map { $0 - begin } : nil,
            unexplained: nodes.reduce(0) { $0 + $1.unexplained })
    }
}
