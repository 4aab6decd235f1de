import AccessControl
import AuthorizationDoors
import HTTPMessages
import JOSE
import KnownTokens
import ProxySettings
import RequestAuthorization
import RequestHistory
import StrictJSON
import Telemetry
import TokenVerification

/// Access log lines of one event loop, gathered until they are handed over to the writer.
struct AccessLogBuffer {
    private let accessLog: AccessLog
    private var bytes: [UInt8] = []
    /// Offset of the last line in `bytes`.
    private var lineBegin = 0
    /// Scratch storage for a text that is composed before it is written.
    private var text: [UInt8] = []

    /// Size in bytes at which the lines are handed over. They also are at every tick.
    static let batch = 32 * 1024
    /// Longest part that is logged of a text from a token, in bytes.
    static let longestName = 64

    init(_ accessLog: AccessLog) {
        self.accessLog = accessLog
    }

    var isOn: Bool { accessLog.isOn }

    mutating func flush() {
        guard !bytes.isEmpty else { return }
        accessLog.write(bytes)
        (bytes, lineBegin) = ([], 0)
        bytes.reserveCapacity(Self.batch + 4 * 1024)
    }

    /// Copies the last line that was appended into a ring, without its line feed. Call it before ``endLine()``.
    func copyLine(to ring: inout EntryRing, at time: Int64) {
        ring.append(bytes.span.extracting(lineBegin..<max(lineBegin, bytes.count &- 1)), at: time)
    }

    /// Hands the lines over if they are enough. Discards them if the log is off.
    mutating func endLine() {
        if !accessLog.isOn { bytes.removeAll(keepingCapacity: true) }
        lineBegin = bytes.count
        if bytes.count >= Self.batch { flush() }
    }

    /// Appends the line of a finished request. Call ``endLine()`` afterwards.
    mutating func append(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, client: [UInt8], at now: Int64,
        clock: inout EventLoopClock
    ) {
        lineBegin = bytes.count
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        let startedAt = record.startedAt
        append(.time, &json) { clock.appendTimestamp(at: startedAt, to: &$0) }
        appendRequest(record, request, client: client, &json)
        appendVerdict(record, request, &json)
        appendIdentity(record, request, &json)
        appendUpstream(record, at: now, &json)
        append(.httpVersion, record.hasHead ? Self.protocolName(request.head.version) : nil, &json)
        json.end(into: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }

    private mutating func appendRequest(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, client: [UInt8],
        _ json: inout JSONObjectWriter
    ) {
        let head = request.head
        let requestID = record.requestID
        append(.requestID, &json) { requestID.append(to: &$0) }
        if let trace = record.trace?.trace { append(.traceID, &json) { trace.digits.append(to: &$0) } }
        append(.client, client, record.configuration.redaction.client, record, &json)
        guard record.hasHead else {
            for name in [AccessLogMember.method, .host, .path] { json.memberNull(name, into: &bytes) }
            return
        }
        json.member(.method, stringBytes: head.bytes.span.extracting(head.method), into: &bytes)
        if let authority = head.authority {
            json.member(.host, stringBytes: head.bytes.span.extracting(authority.bytes), into: &bytes)
        } else {
            json.memberNull(.host, into: &bytes)
        }
        appendPath(record, request, &json)
    }

    private mutating func appendPath(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, _ json: inout JSONObjectWriter
    ) {
        switch record.configuration.redaction.path {
        case .dropped: json.memberNull(.path, into: &bytes)
        case .rule:
            append(.path, record.configuration.labels.path(record.facts?.rule, of: record.facts?.resource), &json)
        // A path that was rejected has no canonical form.
        case .shown where record.facts?.resource == nil || record.facts?.stage == .path:
            let head = request.head
            json.member(.path, stringBytes: head.bytes.span.extracting(head.target.path), into: &bytes)
        case .shown: json.member(.path, stringBytes: request.path.canonical.span, into: &bytes)
        }
    }

    /// Protocol name as in ALPN (RFC 7301 §6).
    private static func protocolName(_ version: HTTPVersion) -> String {
        switch version {
        case .http2: "h2"
        case .http11: "http/1.1"
        case .http10: "http/1.0"
        }
    }

    private mutating func appendVerdict(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, _ json: inout JSONObjectWriter
    ) {
        let facts = record.facts
        let labels = record.configuration.labels
        append(.resource, labels.resource(facts?.resource), &json)
        append(.rule, labels.rule(facts?.rule, of: facts?.resource), &json)
        append(.status, record.status, &json)
        if let reason = record.reason {
            json.member(.reason, string: reason.label, into: &bytes)
        } else {
            json.memberNull(.reason, into: &bytes)
        }
        if let would = record.would { append(would, &json) }
        // Left out without a hint: most lines have none.
        if let hint = facts?.hint ?? record.headFault?.hint { json.member(.hint, string: hint, into: &bytes) }
        let redaction = record.configuration.redaction.detail
        if redaction != .dropped, let detail = Self.detail(record, request) {
            if redaction == .shown {
                json.member(.detail, string: detail, into: &bytes)
            } else {
                append(.detail, detail, redaction, record, &json)
            }
        }
    }

    /// Description of the error in the head, or of the reason why the request was refused. Nil if there is none.
    private static func detail(_ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest) -> String?
    {
        if let fault = record.headFault { return fault.description }
        guard let facts = record.facts, let reason = record.reason ?? facts.would else { return nil }
        let claimValues: ClaimValues = record.configuration.redaction.showsToken ? .shown : .hidden
        return record.configuration.authorizer.detail(
            of: reason, request, facts, claimValues, streamEnd: record.streamEnd)
    }

    private mutating func append(_ would: WouldBeVerdict, _ json: inout JSONObjectWriter) {
        json.beginObject(AccessLogMember.would.rawValue, into: &bytes)
        if let status = would.verdict.status {
            json.member("status", integer: status, into: &bytes)
        } else {
            json.memberNull("status", into: &bytes)
        }
        if let label = would.verdict.label {
            json.member("reason", string: label, into: &bytes)
        } else {
            json.memberNull("reason", into: &bytes)
        }
        json.member("by", string: would.judge.rawValue, into: &bytes)
        json.end(into: &bytes)
    }

    private mutating func appendIdentity(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, _ json: inout JSONObjectWriter
    ) {
        let facts = record.facts
        append(.issuer, record.configuration.labels.issuer(facts?.issuer), &json)
        let redaction = record.configuration.redaction
        if facts?.hasRecord == true {
            append(.subject, known: request.record.text(.subject), redaction.subject, record, &json)
            appendSubjectClaim(request.record.subjectClaim, record, &json)
            append(.clientID, known: request.record.text(.client), redaction.clientID, record, &json)
            append(.keyID, known: request.record.text(.keyID), .shown, record, &json)
            append(.tokenID, known: request.record.text(.tokenID), redaction.tokenID, record, &json)
        } else {
            append(.subject, facts?.subject, redaction.subject, record, &json)
            appendSubjectClaim(facts?.subjectClaim, record, &json)
            append(.clientID, facts?.clientID, redaction.clientID, record, &json)
            append(.keyID, facts?.keyID, &json)
            append(.tokenID, facts?.tokenID, redaction.tokenID, record, &json)
        }
        appendChosen(record, request, &json)
        append(.cache, facts?.cache?.rawValue, &json)
        if let door = record.door { json.member(.door, string: door.rawValue, into: &bytes) }
        // Left out unless clients are asked for a certificate; most gateways ask for none.
        if record.asksForCertificate { append(.clientCertificate, request.clientCertificate?.thumbprint.text, &json) }
    }

    /// Appends the values of the token that the file chooses. Most files choose none.
    private mutating func appendChosen(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, _ json: inout JSONObjectWriter
    ) {
        guard !record.configuration.authorizer.logged.isEmpty else { return }
        let chosen = record.configuration.authorizer.logged
        let redaction = record.configuration.redaction
        for (index, member) in chosen.enumerated() where !member.isClaim {
            let value = Self.value(of: member, at: index, record, request)
            append(AccessLogMember(member).rawValue, value, redaction.treatment(of: member), record, &json)
        }
        guard chosen.contains(where: \.isClaim) else { return }
        guard record.facts?.isProved == true, redaction.claims != .dropped else {
            return json.memberNull(.claims, into: &bytes)
        }
        json.beginObject(AccessLogMember.claims.rawValue, into: &bytes)
        for (index, member) in chosen.enumerated() {
            guard case .claim(let path) = member, let value = Self.value(of: member, at: index, record, request) else {
                continue
            }
            append(path.description, value, redaction.claims, record, &json)
        }
        json.end(into: &bytes)
    }

    /// A chosen value, by its index among those chosen. Nil if the token is not proved, or has no such value.
    private static func value(
        of member: LoggedMember, at index: Int, _ record: borrowing RequestRecord,
        _ request: borrowing AuthorizationRequest
    ) -> LoggedValue? {
        guard let facts = record.facts else { return nil }
        return facts.hasRecord ? request.record.loggedValue(index) : facts.value(of: member)
    }

    private mutating func append(
        _ name: String, _ value: LoggedValue?, _ treatment: LogRedaction.Text, _ record: borrowing RequestRecord,
        _ json: inout JSONObjectWriter
    ) {
        let shown = treatment == .shown ? value?.bytes : nil
        let hashed =
            treatment == .hashed ? value.flatMap { record.configuration.pseudonyms?.pseudonym(of: $0.bytes.span) } : nil
        guard let text = shown ?? hashed else { return json.memberNull(name, into: &bytes) }
        if value?.isText == false, hashed == nil {
            json.member(name, json: text, into: &bytes)
        } else {
            json.member(name, stringBytes: text.span, into: &bytes)
        }
    }

    /// Appends the claim with the subject. Left out for issuers that have it in `sub` alone, as most do.
    private mutating func appendSubjectClaim(
        _ claim: Int?, _ record: borrowing RequestRecord, _ json: inout JSONObjectWriter
    ) {
        guard let name = record.configuration.labels.subjectClaim(claim, of: record.facts?.issuer) else { return }
        json.member(.subjectClaim, stringBytes: name.span, into: &bytes)
    }

    private mutating func appendUpstream(
        _ record: borrowing RequestRecord, at now: Int64, _ json: inout JSONObjectWriter
    ) {
        append(.upstream, record.upstream, &json)
        append(.upstreamStatus, record.upstreamStatus, &json)
        // Left out unless the upstream failed; most lines need none.
        if case .upstream? = record.reason, let error = record.upstreamError {
            json.member(.upstreamError, string: error, into: &bytes)
        }
        append(.duration, Int((now &- record.startedAt) / 1000), &json)
        append(.upstreamDuration, record.forwardedAt.map { Int(((record.upstreamEndedAt ?? now) &- $0) / 1000) }, &json)
        append(.bytesIn, record.bytesIn, &json)
        append(.bytesOut, record.bytesOut, &json)
    }

    /// Appends a member whose text the closure composes in scratch storage.
    private mutating func append(
        _ name: AccessLogMember, _ json: inout JSONObjectWriter, _ write: (inout [UInt8]) -> Void
    ) {
        var text: [UInt8] = []
        swap(&text, &self.text)
        text.removeAll(keepingCapacity: true)
        write(&text)
        json.member(name, stringBytes: text.span, into: &bytes)
        swap(&text, &self.text)
    }

    // MARK: Values that may be absent

    private mutating func append(_ name: AccessLogMember, _ value: Int?, _ json: inout JSONObjectWriter) {
        if let value { json.member(name, integer: value, into: &bytes) } else { json.memberNull(name, into: &bytes) }
    }

    private mutating func append(_ name: AccessLogMember, _ value: [UInt8]?, _ json: inout JSONObjectWriter) {
        if let value {
            json.member(name, stringBytes: value.span, into: &bytes)
        } else {
            json.memberNull(name, into: &bytes)
        }
    }

    private mutating func append(
        _ name: AccessLogMember, _ value: [UInt8], _ treatment: LogRedaction.Text, _ record: borrowing RequestRecord,
        _ json: inout JSONObjectWriter
    ) {
        switch treatment {
        case .shown: json.member(name, stringBytes: value.span, into: &bytes)
        case .hashed: append(name, record.configuration.pseudonyms?.pseudonym(of: value.span), &json)
        case .dropped: json.memberNull(name, into: &bytes)
        }
    }

    /// Appends a text from a cached token: shown, hashed or dropped, as the configuration says.
    private mutating func append(
        _ name: AccessLogMember, known value: ArraySlice<UInt8>?, _ treatment: LogRedaction.Text,
        _ record: borrowing RequestRecord,
        _ json: inout JSONObjectWriter
    ) {
        switch treatment {
        case .shown: append(name, value.map { String(decoding: $0, as: UTF8.self) }, &json)
        case .hashed: append(name, value.flatMap { record.configuration.pseudonyms?.pseudonym(of: $0.span) }, &json)
        case .dropped: json.memberNull(name, into: &bytes)
        }
    }

    /// Appends a text from a token that was parsed for this request. Hashes only the length that the token cache keeps,
    /// so that both ways give the same pseudonym.
    private mutating func append(
        _ name: AccessLogMember, _ value: String?, _ treatment: LogRedaction.Text, _ record: borrowing RequestRecord,
        _ json: inout JSONObjectWriter
    ) {
        guard treatment != .shown else { return append(name, value, &json) }
        append(
            name, known: value.map { ArraySlice($0.utf8.prefix(TokenRecordBytes.longestText)) }, treatment, record,
            &json)
    }

    /// Appends text from a token, cut to ``longestName``, so that an issuer cannot make log lines long.
    private mutating func append(_ name: AccessLogMember, _ value: String?, _ json: inout JSONObjectWriter) {
        guard let value else { return json.memberNull(name, into: &bytes) }
        guard value.utf8.count > Self.longestName else { return json.member(name, string: value, into: &bytes) }
        json.member(name, string: String(value.prefix(utf8Count: Self.longestName)), into: &bytes)
    }
}

extension LogRedaction {
    fileprivate func treatment(of member: LoggedMember) -> Text {
        switch member {
        case .scopes: scopes
        case .actor: actor
        case .tenant: tenant
        case .organization: organization
        case .claim: claims
        }
    }
}

extension JSONObjectWriter {
    fileprivate mutating func member(_ name: AccessLogMember, string: String, into bytes: inout [UInt8]) {
        member(name.rawValue, string: string, into: &bytes)
    }

    fileprivate mutating func member(_ name: AccessLogMember, stringBytes: Span<UInt8>, into bytes: inout [UInt8]) {
        member(name.rawValue, stringBytes: stringBytes, into: &bytes)
    }

    fileprivate mutating func member(_ name: AccessLogMember, integer: Int, into bytes: inout [UInt8]) {
        member(name.rawValue, integer: integer, into: &bytes)
    }

    fileprivate mutating func memberNull(_ name: AccessLogMember, into bytes: inout [UInt8]) {
        memberNull(name.rawValue, into: &bytes)
    }
}
