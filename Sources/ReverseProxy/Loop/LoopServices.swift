import AuthorizationDoors
import HTTP2Sessions
import HTTPMessages
import NIOCore
import NetworkNames
import ProxySettings
import RequestAuthorization
import TokenVerification

/// Services shared by the connections of one event loop: clock, scratch storage, counters, and the list of connections.
///
/// Confined to its event loop; another loop has its own.
///
/// Its `@exclusivity(unchecked)` properties are confined to the loop, and never passed `inout` to code that writes to a
/// channel.
final class LoopServices {
    let eventLoop: any EventLoop
    let gateway: GatewayState
    @safe @exclusivity(unchecked) private(set) var configuration: ProxyConfiguration
    @safe @exclusivity(unchecked) private(set) var isDraining = false
    let connections = ConnectionList()
    /// Connections that write when the current turn of the event loop ends.
    let writeRound: WriteRound
    /// Pools and memory shared by the HTTP/2 connections, to clients and to upstreams.
    let http2Storage = HTTP2Storage(budgetPeriod: TickCount(.seconds(30)).count)
    /// Reads the request that a proxy asks about at a door; the generation is the one whose limits it uses.
    @safe @exclusivity(unchecked) private var doorReader: DoorRequestReader
    @safe @exclusivity(unchecked) private var doorReaderGeneration: Int
    @safe @exclusivity(unchecked) private var doorAnswers = LabelledTally<DoorAnswer>()
    /// Output gathered while the current event is handled.
    let outgoing = OutgoingBytes()
    @safe @exclusivity(unchecked) var clock = EventLoopClock()
    @safe @exclusivity(unchecked) var requestIDs = RequestIDGenerator()
    /// Scratch storage for heads before `outgoing` takes them.
    @safe @exclusivity(unchecked) var headWriter = HeadWriter()
    /// Scratch storage for HTTP/2 fields before they are passed to a session.
    @safe @exclusivity(unchecked) var fieldWriter = FieldWriter()
    /// Field section that is passed to an HTTP/2 session.
    @safe @exclusivity(unchecked) var outgoingFields = OutgoingFields()
    @safe @exclusivity(unchecked) private var requests: UInt64 = 0
    /// Memory taken by this loop and not yet added to the shared counter, in bytes.
    @safe @exclusivity(unchecked) private var takenMemory = 0
    private static let countedAtOnce = 64 * 1024
    /// Tick until which memory counts as having been short a moment ago.
    @safe @exclusivity(unchecked) private var shortUntil: UInt64 = 0
    @safe @exclusivity(unchecked) private var log: AccessLogBuffer
    /// Latest refusals and heaviest callers. Nil if the configuration keeps none.
    @safe @exclusivity(unchecked) private(set) var history: LoopHistory?
    @safe @exclusivity(unchecked) private var spans: SpanBuffer
    @safe @exclusivity(unchecked) private var decisions = DecisionTally()
    /// Policy of `--shadow`. Nil if there is none.
    @safe @exclusivity(unchecked) private(set) var shadow: ShadowPolicy?
    /// Scratch storage for the comparison, reused for each request.
    @safe @exclusivity(unchecked) private var shadowScratch = ShadowScratch()
    @safe @exclusivity(unchecked) private var shadowTally = ShadowTally()
    /// Counts of requests that the current configuration judged.
    @safe @exclusivity(unchecked) private var tally: RequestTally
    /// Counts of requests that a former configuration judged. Nil if none has ended since the last hand-over.
    @safe @exclusivity(unchecked) private var former: (configuration: ProxyConfiguration, tally: RequestTally)?
    /// Counts of attempts at the upstreams.
    let attempts = UpstreamTally()

    init(on eventLoop: any EventLoop, of gateway: GatewayState, _ configuration: ProxyConfiguration) {
        self.eventLoop = eventLoop
        self.gateway = gateway
        self.configuration = configuration
        writeRound = WriteRound(on: eventLoop)
        log = AccessLogBuffer(gateway.accessLog)
        history = gateway.makeHistory(configuration.history)
        spans = SpanBuffer(gateway.spans)
        doorReader = DoorRequestReader(limits: configuration.limits.head)
        doorReaderGeneration = configuration.generation
        tally = RequestTally(of: configuration)
    }

    /// Switches to a new configuration generation. Requests that begin from now on belong to it.
    func reload(_ configuration: ProxyConfiguration) {
        tally.handOver(to: gateway.requestCounts)
        tally = RequestTally(of: configuration)
        if keepsHistory(under: configuration) {
            history?.countPending(self.configuration, at: EventLoopClock.now())
        } else {
            history = gateway.makeHistory(configuration.history)
        }
        self.configuration = configuration
    }

    /// True if one history is for both configurations, this one and the other. Otherwise it begins anew: persons that
    /// the file now redacts must not stay in it, and its keys are those of issuers by index.
    private func keepsHistory(under other: ProxyConfiguration) -> Bool {
        other.history == configuration.history && other.redaction == configuration.redaction
            && other.labels.hasSameIssuers(as: configuration.labels)
    }

    /// True if the request may be in the history: a configuration judged it whose history goes on.
    private func isRemembered(_ record: borrowing RequestRecord) -> Bool {
        guard history != nil else { return false }
        return record.configuration === configuration || keepsHistory(under: record.configuration)
    }

    /// Sets the policy that requests are compared with from now on. Nil for none.
    func put(_ shadow: ShadowPolicy?) {
        self.shadow = shadow
    }

    // MARK: Memory

    /// Notes memory that was taken. Updates the counter shared by all loops only every 64 KiB.
    func tookMemory(_ byteCount: Int) {
        takenMemory &+= byteCount
        guard takenMemory >= Self.countedAtOnce else { return }
        let taken = takenMemory
        takenMemory = 0
        gateway.tookMemory(taken)
    }

    /// True if an HTTP/2 connection may be read that holds this many bytes for streams that do not take them.
    func mayRead(holding byteCount: Int) -> Bool {
        switch gateway.memory.level {
        case .ample: true
        case .short: byteCount < FixedLimits.heldWhileShort
        case .out: false
        }
    }

    /// Called once a tick: notes whether memory is short.
    func noteMemory() {
        if gateway.memory.isShort { shortUntil = clock.tick &+ 2 }
    }

    /// True if memory is short or was a moment ago. A peer that was not read meanwhile must not be timed out.
    var memoryWasShort: Bool { gateway.memory.isShort || clock.tick < shortUntil }

    /// From now on connections close after their current answer.
    func beginDraining() {
        isDraining = true
    }

    // MARK: Requests

    /// Makes the record of a request that begins now.
    func makeRecord() -> RequestRecord {
        requests &+= 1
        return RequestRecord(number: requests, configuration: configuration, startedAt: EventLoopClock.now())
    }

    /// Counts a finished request.
    func requestEnded(_ record: borrowing RequestRecord, at now: Int64) {
        decisions.add(record)
        guard record.configuration !== configuration else { return tally.add(record, at: now) }
        // It began before the last reload, and its rule may have another index now.
        if former?.configuration !== record.configuration {
            former?.tally.handOver(to: gateway.requestCounts)
            former = (record.configuration, RequestTally(of: record.configuration))
        }
        former?.tally.add(record, at: now)
    }

    // MARK: The shadow

    /// Compares the request's verdict with that of the shadow policy, and counts the result.
    ///
    /// - Returns: The shadow's verdict. Nil if it is the same.
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

    /// Replaces a proxy's HTTP request at a door by the request that it asks about.
    func read(_ head: inout RequestHead, at door: DoorKind, _ configuration: ProxyConfiguration) throws(Rejection) {
        renewDoorReader(configuration)
        try doorReader.read(&head, at: door)
    }

    /// Replaces a proxy's gRPC call at a door by the request that its message asks about.
    func read(_ question: CheckQuestion, into head: inout RequestHead, _ configuration: ProxyConfiguration)
        throws(Rejection)
    {
        renewDoorReader(configuration)
        try doorReader.read(question, into: &head)
    }

    /// Error in the request that a proxy last asked about. Nil if that request's head is valid, or was not read.
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

    /// Latest refusals and heaviest callers, with all requests that ended. Nil if none are kept.
    func readHistory() -> LoopHistory? {
        history?.countPending(configuration, at: EventLoopClock.now())
        return history
    }

    /// True if requests are logged, or their callers counted. Ask first, because finding the client costs time.
    var notesRequests: Bool { log.isOn || history != nil }

    /// Writes a finished request to the access log, and to the latest refusals if it was refused. Counts its callers.
    ///
    /// - Parameters:
    ///   - request: `inout`, because it would be copied otherwise.
    ///   - client: Client address, as text and, where it is known, as a number.
    ///   - now: Time when the request ended.
    func note(
        _ record: borrowing RequestRecord, _ request: inout AuthorizationRequest,
        client: (text: [UInt8], address: IPAddress?), at now: Int64
    ) {
        let isRemembered = isRemembered(record)
        if isRemembered {
            let isCurrent = record.configuration === configuration
            history?.count(record, &request, isCurrent: isCurrent, client: client, at: now)
        }
        guard !record.isUnlogged, isRemembered || log.isOn else { return }
        let isKept =
            isRemembered && record.isRefused && history?.keepsLine(isLogged: log.isOn, at: now) == true
        guard log.isOn || isKept else { return }
        log.append(record, request, client: client.text, at: now, clock: &clock)
        if isKept { history?.append(lineOf: &log, at: now) }
        log.endLine()
    }

    /// Appends the spans of a finished request.
    ///
    /// - Parameters:
    ///   - request: `inout`, because it would be copied otherwise.
    ///   - now: Time when the request ended.
    func appendSpans(
        of record: borrowing RequestRecord, _ request: inout AuthorizationRequest, _ connection: SpanConnection,
        at now: Int64
    ) {
        spans.append(record, request, connection, at: now, wall: clock.wallOffset)
    }

    /// Hands over all lines, spans and counts gathered since the last time, and counts the callers among them.
    func flushRecords() {
        log.flush()
        spans.flush()
        history?.countPending(configuration, at: EventLoopClock.now())
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
