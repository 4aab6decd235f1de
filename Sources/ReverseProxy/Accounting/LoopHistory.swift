import AccessControl
import HTTPMessages
import KnownTokens
import NetworkNames
import ProxySettings
import RequestAuthorization
import RequestHistory

/// Latest refusals and heaviest callers of one event loop.
///
/// Nothing else holds them: a reader asks each loop for a copy, and merges the copies elsewhere. A copy shares the
/// storage, so the loop copies what it changes next: one minute of a window, or the ring.
///
/// Its windows take 462 KiB, its pending requests ``PendingCallers/mostBytes`` at most, and its ring as much as it is
/// given.
struct LoopHistory: Sendable {
    /// Lines of the access log, one for each refused request.
    private(set) var refusals: EntryRing
    /// Callers of the requests that are counted. Call ``countPending(_:at:)`` first.
    private(set) var callers = CallerWindows()
    private var pending = PendingCallers()
    /// Time until which the rate of lines is used up; monotonic, in nanoseconds.
    private var linesUntil = Int64.min

    /// - Parameter capacity: most bytes of the refusals.
    init(capacity: Int) {
        refusals = EntryRing(capacity: capacity)
    }

    /// True if the line of a refused request is to be appended. Otherwise it counts as left out.
    ///
    /// - Parameter isLogged: true if the line is made for the access log anyway. Lines that are made for the history
    ///   alone are few, because one costs as much as a request.
    mutating func keepsLine(isLogged: Bool, at now: Int64) -> Bool {
        guard !isLogged else { return true }
        let next = max(linesUntil, now &- Self.second) &+ Self.second / Self.mostLines
        guard next <= now else {
            refusals.leaveOut()
            return false
        }
        linesUntil = next
        return true
    }

    /// Most lines a second that are made without an access log.
    static let mostLines: Int64 = 200
    private static let second: Int64 = 1_000_000_000

    /// Appends the line of a refused request: the last one of a log.
    ///
    /// - Parameter log: `inout`, because it would be copied otherwise.
    mutating func append(lineOf log: inout AccessLogBuffer, at now: Int64) {
        log.copyLine(to: &refusals, at: now)
    }

    // MARK: Callers

    /// Counts the caller of a finished request, at the latest at the next ``countPending(_:at:)``.
    ///
    /// - Parameters:
    ///   - request: `inout`, because it would be copied otherwise.
    ///   - isCurrent: true if the configuration in force judged the request.
    ///   - client: address of the client, as text and, where it is known, as a number.
    mutating func count(
        _ record: borrowing RequestRecord, _ request: inout AuthorizationRequest, isCurrent: Bool,
        client: (text: [UInt8], address: IPAddress?), at now: Int64
    ) {
        // The record describes the token even if its claims were parsed again.
        guard isCurrent, record.facts?.cache == .hit, record.facts?.isOpaque == false,
            let issuer = record.facts?.issuer, let token = request.tokenDigest, let address = client.address
        else { return callers.count(record, request.record, client: client, at: now) }
        let configuration = record.configuration
        var place: (ResourceIndex, RuleIndex)?
        if record.reason == nil, let resource = record.facts?.resource, let rule = record.facts?.rule {
            place = (resource, rule)
        }
        let key = PendingCallers.Key(token: token, address: address, issuer: issuer, place: place)
        guard !pending.take(key, request.record, address: client.text) else { return }
        pending.begin(key, into: &callers, configuration, at: now)
        let requests = CallerWindows.Requests(count: 1, configuration: configuration, place: place, now: now)
        callers.countAddress(address, client.text.span, requests)
        guard let texts = request.record.callerTexts else { return }
        callers.countToken(texts, of: request.record.bytes.span, issuer, requests)
    }

    /// Counts the pending requests. Called at every tick, so that none counts for a later minute.
    ///
    /// - Parameter configuration: the one that was in force when they ended.
    mutating func countPending(_ configuration: ProxyConfiguration, at now: Int64) {
        pending.removeAll(into: &callers, configuration, at: now)
    }
}
