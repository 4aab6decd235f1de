import HTTPMessages
import RequestAuthorization

/// Writer of the response head for the client: the upstream's without hop-by-hop fields, framed for the client's
/// version.
struct DownstreamResponseHead {
    let plan: ResponsePlan
    let requestVersion: HTTPVersion
    let requestIsHEAD: Bool
    let edits: HeaderEdits
    let requestID: RequestID
    /// CORS fields that replace the upstream's. Nil if the upstream's are forwarded.
    let crossOrigin: CrossOriginFields?
    /// Fields with the caller's remaining quota. Nil if no quota counted the request.
    let rateLimit: RateLimitFields?
    /// Fields that the resource or the rule sets and removes. Nil if there are none.
    let responseEdits: PreparedResponseEdits?

    /// Writes the whole final head.
    ///
    /// - Parameter date: Value of `Date`, used if the upstream sent none (RFC 9110 §6.6.1).
    func write(_ head: ResponseHead, date: @autoclosure () -> [UInt8], into writer: inout some HeadOutput) {
        writer.reset()
        writer.statusLine(of: head)
        copyFields(of: head, into: &writer)
        requestID.write(into: &writer)
        crossOrigin?.write(into: &writer)
        rateLimit?.write(into: &writer)
        responseEdits?.write(into: &writer)
        if !head.contains(.date) { _ = writer.field("Date", date().span) }
        switch plan.framing {
        case .none, .untilClose: break
        case .length(let length): writer.field("Content-Length", length)
        case .chunked: writer.field("Transfer-Encoding", "chunked")
        }
        if !plan.keepsAlive {
            writer.field("Connection", "close")
        } else if requestVersion == .http10 {
            writer.field("Connection", "keep-alive")
        }
        writer.finish()
    }

    /// Writes the 101 head with which the upstream switches to the WebSocket protocol (RFC 6455 §4.2.2).
    ///
    /// - Parameter offer: Subprotocols that the client offered. Nil to forward the upstream's choice unchanged.
    func writeUpgrade(_ head: ResponseHead, _ offer: ProtocolOffer?, into writer: inout some HeadOutput) {
        writer.reset()
        writer.statusLine(of: head)
        copyFields(of: head, without: offer == nil ? nil : .secWebSocketProtocol, into: &writer)
        if case .named(let name)? = offer?.answer(to: head) { _ = writer.field(.secWebSocketProtocol, name.span) }
        requestID.write(into: &writer)
        writer.field("Connection", "Upgrade")
        writer.field("Upgrade", "websocket")
        writer.finish()
    }

    /// Writes an interim head (RFC 9110 §15.2).
    func writeInterim(_ head: ResponseHead, into writer: inout some HeadOutput) {
        writer.reset()
        writer.statusLine(of: head)
        copyFields(of: head, into: &writer)
        writer.finish()
    }

    private func copyFields(
        of head: ResponseHead, without written: KnownField? = nil, into writer: inout some HeadOutput
    ) {
        let section = head.section
        let mayBeNominated = head.contains(.connection)
        // Responses to HEAD and 304 may state the length that the body would have (RFC 9110 §8.6).
        let keepsLength = plan.framing == .none && (requestIsHEAD || head.status == 304)
        writer.copy(section) { field in
            if let known = field.known {
                guard !known.isHopByHop, known != .xRequestID, known != written, known != .contentLength || keepsLength
                else { return false }
            }
            if let responseEdits, responseEdits.drops(field, of: head) { return false }
            if crossOrigin != nil, CrossOriginFields.replaces(field, of: head) { return false }
            return !edits.removes(field, of: head) && !(mayBeNominated && section.isNominated(field))
        }
    }
}

/// Framing of a response to the client, and whether the connection stays open.
struct ResponsePlan: Hashable {
    var framing: ResponseBodyFraming
    var keepsAlive: Bool

    /// - Parameter keepsAlive: True if everything except the framing allows another request on the connection.
    init(_ head: borrowing ResponseHead, to version: HTTPVersion, keepsAlive: Bool) {
        self.init(head.framing, status: head.status, to: version, keepsAlive: keepsAlive)
    }

    init(_ framing: ResponseBodyFraming, status: Int, to version: HTTPVersion, keepsAlive: Bool) {
        switch framing {
        case .chunked, .untilClose: self.framing = version == .http10 ? .untilClose : .chunked
        case .none, .length: self.framing = framing
        }
        // A 205 has no content whatever its head announces (RFC 9110 §15.3.6); its body is dropped.
        if status == 205, framing != .none { self.framing = .length(0) }
        self.keepsAlive = keepsAlive && self.framing != .untilClose
    }

    /// True if the upstream's body must not be sent to the client.
    var dropsBody: Bool { framing == .none || framing == .length(0) }
}
