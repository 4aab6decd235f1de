import AccessControl
import AuthorizationDoors
import HTTPMessages
import JOSE
import KnownTokens
import ProxySettings
import RequestAuthorization
import Telemetry
import TokenVerification

/// Spans of one event loop, gathered until they are handed over to the exporter.
struct SpanBuffer: ~Copyable {
    private let queue: SpanQueue
    private var spans = SpanBatch()

    /// Size in bytes at which the spans are handed over. They also are at every tick.
    static let batch = 32 * 1024

    init(_ queue: SpanQueue) {
        self.queue = queue
    }

    mutating func flush() {
        guard spans.count > 0 else { return }
        let (bytes, count) = spans.take()
        queue.add(bytes, count: count)
    }

    /// Appends the spans of a finished request: its own, and one for each attempt.
    ///
    /// - Parameters:
    ///   - now: when the request ended; monotonic, in nanoseconds.
    ///   - wall: offset to the time since 1970, in nanoseconds.
    mutating func append(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, _ connection: SpanConnection,
        at now: Int64, wall: Int64
    ) {
        guard let trace = record.trace else { return }
        let context = TraceContext(trace.trace, trace.span, isSampled: true)
        let span = spans.beginSpan(
            context, under: trace.parent?.span, .server, from: record.startedAt &+ wall, to: now &+ wall)
        let isError = record.status.map { $0 >= 500 } ?? true
        appendRequest(record, request, connection)
        if let status = record.status { spans.attribute(.responseStatus, status) }
        if isError { appendError(record) }
        if let link = trace.link { spans.link(to: link) }
        if record.facts != nil { appendVerdict(record, request, at: (record.forwardedAt ?? now) &+ wall) }
        spans.endSpan(span, isError: isError)
        if let attempts = trace.attempts {
            for (number, attempt) in attempts.former.enumerated() {
                append(attempt, number, context, record, request, at: now, wall: wall)
            }
            append(attempts.last, attempts.former.count, context, record, request, at: now, wall: wall)
        }
        if spans.byteCount >= Self.batch { flush() }
    }

    // MARK: The request

    private mutating func appendRequest(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, _ connection: SpanConnection
    ) {
        let redaction = record.configuration.redaction
        record.requestID.append(to: &spans)
        append(.clientAddress, connection.client.span, redaction.client, record)
        spans.attribute(.scheme, connection.isSecure ? "https" : "http")
        if let door = record.door { spans.attribute(.door, door.rawValue) }
        guard record.hasHead else { return spans.name(Self.unknownMethod.span) }
        let labels = record.configuration.labels
        let (resource, rule) = (record.facts?.resource, record.facts?.rule)
        let route = labels.route(rule, of: resource)
        let bytes = request.head.bytes.span
        appendMethod(bytes.extracting(request.head.method), route)
        if let route { spans.attribute(.route, known: route.span) }
        if let name = labels.resource(resource) { spans.attribute(.resource, known: name.span) }
        appendPath(record, request)
        if let authority = request.head.authority {
            spans.attribute(.serverAddress, bytes.extracting(authority.host))
            if let port = authority.port { spans.attribute(.serverPort, port) }
        }
        if redaction.userAgent != .dropped, let field = request.head.section.first(Self.userAgent) {
            append(.userAgent, bytes.extracting(field.value), redaction.userAgent, record)
        }
        spans.attribute(.protocolVersion, Self.version(request.head.version))
    }

    private static let userAgent = FieldName(fixed: "User-Agent")
    /// Name of a span whose method is not a registered one, as the semantic conventions have it.
    private static let unknownMethod = Array("HTTP".utf8)

    private mutating func appendMethod(_ method: Span<UInt8>, _ route: [UInt8]?) {
        guard RegisteredMethods.contains(method) else {
            spans.attribute(.requestMethod, "_OTHER")
            spans.attribute(.originalMethod, method)
            return spans.name(Self.unknownMethod.span, route: route)
        }
        spans.attribute(.requestMethod, known: method)
        spans.name(method, route: route)
    }

    private mutating func appendPath(_ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest) {
        switch record.configuration.redaction.path {
        case .dropped, .rule: break
        // A path that was rejected has no canonical form.
        case .shown where record.facts?.resource == nil || record.facts?.stage == .path:
            let head = request.head
            spans.attribute(.path, head.bytes.span.extracting(head.target.path))
        case .shown: spans.attribute(.path, request.path.canonical.span)
        }
    }

    private static func version(_ version: HTTPVersion) -> StaticString {
        switch version {
        case .http2: "2"
        case .http11: "1.1"
        case .http10: "1.0"
        }
    }

    private mutating func appendError(_ record: borrowing RequestRecord) {
        if let reason = record.reason {
            spans.attribute(.errorType, reason.label)
        } else if let status = record.status {
            spans.attribute(.errorType, "\(status)")
        } else {
            spans.attribute(.errorType, "client_closed")
        }
        if case .upstream? = record.reason, let error = record.upstreamError { spans.attribute(.upstreamError, error) }
    }

    // MARK: The verdict

    private mutating func appendVerdict(
        _ record: borrowing RequestRecord, _ request: borrowing AuthorizationRequest, at time: Int64
    ) {
        let facts = record.facts
        let event = spans.beginEvent("authorize", at: time)
        if let stage = facts?.stage { spans.attribute(.check, stage.label) }
        if let reason = record.reason { spans.attribute(.reason, reason.label) }
        if let would = facts?.would { spans.attribute(.would, would.label) }
        if let issuer = record.configuration.labels.issuer(facts?.issuer) {
            spans.attribute(.issuer, known: issuer.span)
        }
        if let cache = facts?.cache { spans.attribute(.cache, cache.rawValue) }
        if facts?.hasRecord == true {
            if let subject = request.record.text(.subject) { appendSubject(subject, record) }
        } else if let subject = facts?.subject {
            appendSubject(ArraySlice(subject.utf8.prefix(TokenRecordBytes.longestText)), record)
        }
        spans.endEvent(event)
    }

    private mutating func appendSubject(_ subject: ArraySlice<UInt8>, _ record: borrowing RequestRecord) {
        switch record.configuration.redaction.subject {
        case .shown: spans.attribute(.userID, subject.span)
        case .hashed:
            guard let pseudonym = record.configuration.pseudonyms?.pseudonym(of: subject.span) else { return }
            spans.attribute(.userHash, pseudonym.span)
        case .dropped: break
        }
    }

    /// Appends a text of the request: shown, hashed or left out, as the configuration says.
    private mutating func append(
        _ name: SpanAttribute, _ value: Span<UInt8>, _ treatment: LogRedaction.Text, _ record: borrowing RequestRecord
    ) {
        switch treatment {
        case .shown: spans.attribute(name, value)
        case .hashed:
            guard let pseudonym = record.configuration.pseudonyms?.pseudonym(of: value) else { return }
            spans.attribute(name, pseudonym.span)
        case .dropped: break
        }
    }

    // MARK: Attempts

    private mutating func append(
        _ attempt: AttemptSpans.Attempt, _ number: Int, _ parent: TraceContext, _ record: borrowing RequestRecord,
        _ request: borrowing AuthorizationRequest, at now: Int64, wall: Int64
    ) {
        let end = attempt.failedAt ?? record.upstreamEndedAt ?? now
        let context = TraceContext(parent.trace, attempt.span, isSampled: true)
        let span = spans.beginSpan(
            context, under: parent.span, .client, from: attempt.startedAt &+ wall, to: end &+ wall)
        appendMethod(request.head.bytes.span.extracting(request.head.method), nil)
        let target = attempt.target
        let host = target.host
        spans.attribute(.serverAddress, known: host.span)
        if let port = target.port { spans.attribute(.serverPort, port) }
        if let status = attempt.status { spans.attribute(.responseStatus, status) }
        if number > 0 { spans.attribute(.resendCount, number) }
        if let outcome = attempt.outcome {
            spans.attribute(.errorType, outcome.label)
        } else if let status = attempt.status, status >= 400 {
            spans.attribute(.errorType, "\(status)")
        }
        spans.endSpan(span, isError: attempt.outcome != nil || attempt.status.map { $0 >= 400 } ?? true)
    }
}

/// Properties of a request's connection that its span has.
struct SpanConnection {
    /// Client address as text.
    let client: [UInt8]
    let isSecure: Bool
}

extension RequestID {
    fileprivate func append(to spans: inout SpanBatch) {
        switch self {
        case .made(let high, let low): HexadecimalDigits(high, low).withSpan { spans.attribute(.requestID, $0) }
        case .received(let text): spans.attribute(.requestID, text.span)
        }
    }
}
