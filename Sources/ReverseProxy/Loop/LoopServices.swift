import HTTP2Sessions
import HTTPMessages
import NIOCore
import ProxySettings
import RequestAuthorization

/// What the connections of one event loop share: clock, scratch storage, counters, and the list of themselves.
///
/// Confined to its event loop; another loop has its own.
final class LoopServices {
    let eventLoop: any EventLoop
    let gateway: GatewayState
    private(set) var configuration: ProxyConfiguration
    private(set) var isDraining = false
    let connections = ConnectionList()
    /// Who writes when the present round of the loop ends.
    let writeRound: WriteRound
    /// What the HTTP/2 connections share, to clients and to upstreams.
    let http2Storage = HTTP2Storage(budgetPeriod: TickCount(.seconds(30)).count)
    /// What the present event writes.
    let outgoing = OutgoingBytes()
    var clock = EventLoopClock()
    var requestIDs = RequestIDGenerator()
    /// Where heads are written before they are copied into `outgoing`.
    var headWriter = HeadWriter()
    /// Where the fields of HTTP/2 heads are written before they are handed to a session.
    var fieldWriter = FieldWriter()
    /// The fields that are handed to a session.
    var outgoingFields = OutgoingFields()
    private var requests: UInt64 = 0
    private var log: AccessLogBuffer
    private var decisions = DecisionTally()

    init(on eventLoop: any EventLoop, of gateway: GatewayState, _ configuration: ProxyConfiguration) {
        self.eventLoop = eventLoop
        self.gateway = gateway
        self.configuration = configuration
        writeRound = WriteRound(on: eventLoop)
        log = AccessLogBuffer(gateway.accessLog)
    }

    /// Requests that begin from now on belong to this generation.
    func reload(_ configuration: ProxyConfiguration) {
        self.configuration = configuration
    }

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

    /// Counts a request that ended, and writes it into the access log.
    ///
    /// - Parameter client: the client's address as text; asked for only if there is a log.
    func requestEnded(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, client: @autoclosure () -> [UInt8]
    ) {
        let labels = record.configuration.labels
        decisions.add(record.decision, labels: labels)
        if log.isOn { log.append(record, request, client: client(), clock: &clock) }
    }

    /// Hands over what was logged and counted since the last time.
    func flushRecords() {
        log.flush()
        gateway.take(&decisions)
    }
}

@available(*, unavailable)
extension LoopServices: Sendable {}
