import HTTPMessages
import StrictJSON
import TokenVerification

extension Rejection {
    /// Writes the head of the answer and returns its content: a problem document (RFC 9457). An answer to HEAD omits
    /// the content.
    ///
    /// Nothing of the request is reflected in it, except the `X-Request-ID` of a trusted peer.
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) -> [UInt8] {
        let content = problem(terms.requestID)
        head.beginAnswer(reason.status, terms)
        if let challenge { head.field(challenge) }
        if let retryAfter { head.field("retry-after", retryAfter.inFullSeconds) }
        if reason == .message(.methodNotAllowed) { head.field("allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS") }
        head.field("content-type", "application/problem+json")
        head.field("cache-control", "no-store")
        return head.endAnswer(content, terms)
    }

    /// The problem document: `type`, `title`, `status`, `request_id`, and RFC 6750's members if the challenge has them.
    func problem(_ requestID: [UInt8]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(320)
        var json = JSONObjectWriter()
        json.beginObject(into: &bytes)
        json.member("type", string: "about:blank", into: &bytes)
        json.member("title", string: "\(ReasonPhrase.of(reason.status))", into: &bytes)
        json.member("status", integer: reason.status, into: &bytes)
        json.member("request_id", stringBytes: requestID.span, into: &bytes)
        if let error = challenge?.error { json.member("error", string: error.rawValue, into: &bytes) }
        if let description = challenge?.errorDescription {
            json.member("error_description", string: description, into: &bytes)
        }
        json.end(into: &bytes)
        return bytes
    }
}

extension PublishedDocument {
    /// Writes the head of the answer and returns its content, which an answer to HEAD omits.
    ///
    /// Scripts of any origin may read it: it contains only public data (RFC 9728 §7.8).
    public func write(into head: inout some HeadOutput, _ terms: AnswerTerms) -> [UInt8] {
        head.beginAnswer(200, terms)
        head.field("content-type", "application/json")
        head.field("cache-control", "public, max-age=300")
        head.field("access-control-allow-origin", "*")
        return head.endAnswer(bytes, terms)
    }
}

extension HeadOutput {
    /// Begins the head of a response that the gateway generates.
    public mutating func beginAnswer(_ status: Int, _ terms: AnswerTerms) {
        reset()
        statusLine(terms.form.wireStatus(of: status))
        _ = field("date", terms.date.span)
        _ = field("x-request-id", terms.requestID.span)
        switch terms.form {
        case .client: break
        case .fields: field("x-bearward-status", status)
        case .marked: field("x-bearward-verdict", "answer")
        }
    }

    /// Finishes the head of a response that the gateway generates, and returns the content to send after it.
    public mutating func endAnswer(_ content: [UInt8], _ terms: AnswerTerms) -> [UInt8] {
        guard terms.form == .fields else {
            endAnswer(contentLength: content.count, terms)
            return content
        }
        _ = field("x-bearward-body", content.span)
        endAnswer(contentLength: 0, terms)
        return []
    }

    /// Finishes the head of a response that the gateway generates, with this length of content.
    public mutating func endAnswer(contentLength: Int, _ terms: AnswerTerms) {
        field("content-length", contentLength)
        terms.crossOrigin?.write(into: &self)
        terms.rateLimit?.write(into: &self)
        endAnswer(terms)
    }

    /// Finishes the head of a response without content, whose CORS fields are already written.
    mutating func endAnswer(_ terms: AnswerTerms) {
        terms.edits?.writeOwn(into: &self)
        if terms.fate == .close { field("connection", "close") }
        finish()
    }

    /// Writes `WWW-Authenticate`.
    mutating func field(_ challenge: BearerChallenge) {
        _ = field("www-authenticate", challenge.fieldBytes.span)
    }

    /// Writes a field with a value of our own. A value that is invalid in a field is omitted.
    public mutating func trusted(_ name: StaticString, _ value: String) {
        _ = field(name, value.utf8.span)
    }
}

/// Values that every response of the gateway itself needs.
public struct AnswerTerms: Sendable {
    /// Value of `Date`, already formatted (RFC 9110 §5.6.7).
    public let date: [UInt8]
    /// The gateway's name for the request (`X-Request-ID`), the same for client and operator: ASCII without control
    /// characters.
    public let requestID: [UInt8]
    public let fate: ConnectionFate
    /// CORS fields. Nil if none are written.
    public let crossOrigin: CrossOriginFields?
    /// State of the caller's quotas. Nil if nothing was counted.
    public let rateLimit: RateLimitFields?
    /// Fields that the resource or the rule sets. Nil if it sets none.
    public let edits: PreparedResponseEdits?
    /// Reader of the response.
    public let form: AnswerForm

    public init(
        date: [UInt8], requestID: [UInt8], fate: ConnectionFate, crossOrigin: CrossOriginFields? = nil,
        rateLimit: RateLimitFields? = nil, edits: PreparedResponseEdits? = nil, form: AnswerForm = .client
    ) {
        self.form = form
        self.date = date
        self.requestID = requestID
        self.fate = fate
        self.crossOrigin = crossOrigin
        self.rateLimit = rateLimit
        self.edits = edits
    }
}

/// Fate of the connection after a response.
public enum ConnectionFate: Sendable { case keep, close }
