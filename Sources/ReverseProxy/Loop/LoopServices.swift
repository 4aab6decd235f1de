import AuthorizationDoors
import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization
import TokenVerification

/// What the connections of one event loop share: clock, scratch storage, counters, and the list of themselves.
///
/// Confined to its event loop; another loop has its own.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and passed `inout` to nothing that writes to a
/// channel.
final class LoopServices {
    let eventLoop: any EventLoop
    let gateway: GatewayState
    @safe @exclusivity(unchecked) private(set) var configuration: ProxyConfiguration
    @safe @exclusivity(unchecked) private(set) var isDraining = false
    let connections = ConnectionList()
    /// Who writes when the present round of the loop ends.
    let writeRound: WriteRound
    /// What the HTTP/2 connections share, to clients and to upstreams.
    let http2Storage = HTTP2Storage(budgetPeriod: TickCount(.seconds(30)).count)
    /// Makes requests of the questions at doors, and the generation whose limits it has.
    @safe @exclusivity(unchecked) private var doorReader: DoorRequestReader
    @safe @exclusivity(unchecked) private var doorReaderGeneration: Int
    @safe @exclusivity(unchecked) private var doorAnswers = LabelledTally<DoorAnswer>()
    /// What the present event writes.
    let outgoing = OutgoingBytes()
    @safe @exclusivity(unchecked) var clock = EventLoopClock()
    @safe @exclusivity(unchecked) var requestIDs = RequestIDGenerator()
    /// Where heads are written before they are copied into `outgoing`.
    @safe @exclusivity(unchecked) var headWriter = HeadWriter()
    /// Where the fields of HTTP/2 heads are written before they are handed to a session.
    @safe @exclusivity(unchecked) var fieldWriter = FieldWriter()
    /// The fields that are handed to a session.
    @safe @exclusivity(unchecked) var outgoingFields = OutgoingFields()
    @safe @exclusivity(unchecked) private var requests: UInt64 = 0
    /// What was taken of memory and is not counted yet, in bytes.
    @safe @exclusivity(unchecked) private var takenMemory = 0
    private static let countedAtOnce = 64 * 1024
    /// The tick from which it is long ago that memory was short.
    @safe @exclusivity(unchecked) private var shortUntil: UInt64 = 0
    @safe @exclusivity(unchecked) private var log: AccessLogBuffer
    @safe @exclusivity(unchecked) private var decisions = DecisionTally()
    /// The file of `--shadow`; nil: there is none.
    @safe @exclusivity(unchecked) private(set) var shadow: ShadowPolicy?
    /// Storage of the shadow, used again for each request.
    @safe @exclusivity(unchecked) private var shadowScratch = ShadowScratch()
    @safe @exclusivity(unchecked) private var shadowTally = ShadowTally()
    /// Of requests that the present configuration judged.
    @safe @exclusivity(unchecked) private var tally: RequestTally
    /// Requests that a former configuration judged. Nil if none has ended since the last hand-over.
    @safe @exclusivity(unchecked) private var former: (configuration: ProxyConfiguration, tally: RequestTally)?
    /// Of what the upstreams did.
    let attempts = UpstreamTally()

    init(on eventLoop: any EventLoop, of gateway: GatewayState, _ configuration: ProxyConfiguration) {
        self.eventLoop = eventLoop
        self.gateway = gateway
        self.configuration = configuration
        writeRound = WriteRound(on: eventLoop)
        log = AccessLogBuffer(gateway.accessLog)
        doorReader = DoorRequestReader(limits: configuration.limits.head)
        doorReaderGeneration = configuration.generation
        tally = RequestTally(of: configuration)
    }

    /// Requests that begin from now on belong to this generation.
    func reload(_ configuration: ProxyConfiguration) {
        tally.handOver(to: gateway.requestCounts)
        tally = RequestTally(of: configuration)
        self.configuration = configuration
    }

    /// Requests that are judged from now on are compared with this.
    func put(_ shadow: ShadowPolicy?) {
        self.shadow = shadow
    }

    // MARK: Memory

    /// Notes what someone had the process take; the counter that all loops share is asked only now and then.
    func tookMemory(_ byteCount: Int) {
        takenMemory &+= byteCount
        guard takenMemory >= Self.countedAtOnce else { return }
        let taken = takenMemory
        takenMemory = 0
        gateway.tookMemory(taken)
    }

    /// Whether a connection of HTTP/2 is read that holds so many bytes of streams that do not take them.
    func mayRead(holding byteCount: Int) -> Bool {
        switch gateway.memory.level {
        case .ample: true
        case .short: byteCount < FixedLimits.heldWhileShort
        case .out: false
        }
    }

    /// Remembers, once a tick, that memory is short.
    func noteMemory() {
        if gateway.memory.isShort { shortUntil = clock.tick &+ 2 }
    }

    /// Whether memory is short, or was a moment ago: whoever was not read for that is not late.
    var memoryWasShort: Bool { gateway.memory.isShort || clock.tick < shortUntil }

    /// Connections end with their present answer from now on.
    func beginDraining() {
        isDraining = true
    }

    // MARK: Requests

    /// The record of a request that begins now.
    func makeRecord() -> RequestRecord {
        requests &+= 1
        return RequestRecord(number: requests, configuration: configuration, startedAt: EventLoopClock.now())
    }

    /// Counts a request that ended.
    func requestEnded(_ record: borrowing RequestRecord, at now: Int64) {
        decisions.add(record)
        guard record.configuration !== configuration else { return tally.add(record, at: now) }
        // It began before the last reload, so its rule has another index now.
        if former?.configuration !== record.configuration {
            former?.tally.handOver(to: gateway.requestCounts)
            former = (record.configuration, RequestTally(of: record.configuration))
        }
        former?.tally.add(record, at: now)
    }

    // MARK: The shadow

    /// Compares what a request is answered with what another configuration says, and counts it.
    ///
    /// - Returns: the other's verdict; nil: the same.
    func compare(
        _ request: inout AuthorizationRequest, _ reason: RejectionReason?, _ record: borrowing RequestRecord,
        with shadow: ShadowAuthorizer
    ) -> Verdict? {
        guard let stage = record.facts?.stage, let time = record.facts?.time else { return nil }
        let route = RequestRoute(record.facts?.resource, record.facts?.match)
        let comparison = shadow.compare(reason, at: stage, route, &request, using: &shadowScratch, at: time)
        shadowTally.add(comparison, record, from: reason)
        switch comparison {
        case .same: return nil
        case .different(let verdict): return verdict
        case .unknown: return .unknown
        }
    }

    // MARK: Doors

    /// Puts the request that a proxy asks about in the place of its question.
    func read(_ head: inout RequestHead, at door: DoorKind, _ configuration: ProxyConfiguration) throws(Rejection) {
        renewDoorReader(configuration)
        try doorReader.read(&head, at: door)
    }

    /// Puts the request that a proxy's message asks about in the place of the call.
    func read(_ question: CheckQuestion, into head: inout RequestHead, _ configuration: ProxyConfiguration)
        throws(Rejection)
    {
        renewDoorReader(configuration)
        try doorReader.read(question, into: &head)
    }

    /// What is wrong with the request that a proxy asked about last, if it was refused.
    var statedFault: HeadFault? { doorReader.fault }

    private func renewDoorReader(_ configuration: ProxyConfiguration) {
        if doorReaderGeneration != configuration.generation {
            doorReader = DoorRequestReader(limits: configuration.limits.head)
            doorReaderGeneration = configuration.generation
        }
    }

    /// Counts an answer at a door.
    func count(_ record: borrowing RequestRecord, at door: Door) {
        let answer = DoorAnswer(door: door.kind, isPermission: record.isPermission)
        doorAnswers.add(answer, answer.values)
    }

    /// Whether requests are logged; ask first, because making a line costs something.
    var logsRequests: Bool { log.isOn }

    /// Writes a request that ended into the access log.
    ///
    /// - Parameters:
    ///   - client: the client's address as text.
    ///   - now: when the request ended.
    func log(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, client: [UInt8], at now: Int64
    ) {
        log.append(record, request, client: client, at: now, clock: &clock)
    }

    /// Hands over what was logged and counted since the last time.
    func flushRecords() {
        log.flush()
        decisions.handOver(to: gateway.decisions)
        shadowTally.handOver(to: gateway.shadowCounts)
        tally.handOver(to: gateway.requestCounts)
        former?.tally.handOver(to: gateway.requestCounts)
        former = nil
        doorAnswers.handOver(to: gateway.doorAnswers)
        attempts.handOver(to: gateway.attempts)
    }
}

@available(*, unavailable)
extension LoopServices: Sendable {}
