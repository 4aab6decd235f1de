import NetworkNames

/// Builds request heads from HTTP/2 fields, one head after another. It applies the rules that a `RequestHeadParser`
/// applies to the same request in HTTP/1.1 (RFC 9113 §8.3).
///
/// Each field is stored as a field line behind a request line. Nothing is parsed again, and readers of a head treat
/// both kinds alike. A violation of HTTP/2's rules is thrown immediately (`RequestMalformation`). A fault that any
/// version could have (`RequestHeadRejection`) is thrown at the end, if nothing was malformed. Both are answered with a
/// response.
///
/// Fields of a built head:
/// - `Host` has the value of `:authority`, or is the client's own if there is no `:authority`.
/// - The parts of `Cookie` are joined to one field, the last (RFC 9113 §8.2.3).
/// - A request for the WebSocket protocol (RFC 8441) is a GET with `Upgrade: websocket` and a key that the gateway
///   generated.
/// - `Connection` and `Transfer-Encoding` are absent. A body of unknown length has the framing `.chunked`.
///
/// After an error, only `reset()` or `releaseStorage()` makes the builder usable again.
public struct RequestHeadBuilder: ~Copyable, Sendable {
    /// The head. Valid after `finish(endsStream:webSocketKey:)`, until `reset()`.
    public private(set) var head = RequestHead()

    private let limits: HeadLimits
    private let table = KnownFieldTable.standard
    private var pseudoHeaders = RequestPseudoHeaders()
    private var fieldsBegan = false
    private var hasHost = false
    private var contentLength: Int?
    private var cookies = CookieCrumbs()
    /// Size of the fields so far as HTTP/1.1 lines. Compared with `HeadLimits.fieldSection`.
    private var size = 0
    /// True if nothing was added since the last reset.
    private var isEmpty = true
    /// The first reason to refuse the request. Nil if there is none so far.
    private var rejection: RequestHeadRejection?

    /// The fault of a refused head and its location. Valid until `reset()`. Nil if the head was not refused.
    public private(set) var fault: HeadFault?

    public init(limits: HeadLimits = HeadLimits()) { self.limits = limits.reachable }

    /// True if the method is HEAD, so that the response has no content. Known after the pseudo-header fields, even if
    /// the request is refused.
    public var methodIsHEAD: Bool { pseudoHeaders.methodIsHEAD }

    /// True if the request asks for the WebSocket protocol (RFC 8441 §5), so that `finish` needs a key. Known after the
    /// pseudo-header fields.
    public var asksForWebSocket: Bool { pseudoHeaders.asksForWebSocket }

    /// Adds the next field, in the order of the section.
    ///
    /// - Parameter isNeverIndexed: true if the field arrived as a literal that is never indexed (RFC 7541 §6.2.3).
    public mutating func add(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool) throws(RequestMalformation) {
        isEmpty = false
        do throws(RequestMalformation) {
            try take(name, value, isNeverIndexed: isNeverIndexed)
        } catch {
            fault = HeadFault(error, inField: name, value)
            throw error
        }
    }

    private mutating func take(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool)
        throws(RequestMalformation)
    {
        size &+= name.count &+ value.count &+ 4
        guard size <= limits.fieldSection else { throw .fieldSectionTooLarge }
        if !name.isEmpty, name[0] == ASCII.colon {
            guard !fieldsBegan else { throw .latePseudoHeader }
            return try pseudoHeaders.add(name, value, isNeverIndexed: isNeverIndexed)
        }
        if !fieldsBegan { try beginFields() }
        guard let lookedUp = FieldSectionName(name, table: table) else { throw .invalidFieldName }
        guard let checked = FieldSectionValue(value), checked.trimmed.count == value.count else {
            throw .invalidFieldValue
        }
        if lookedUp.isOfConnection { throw .connectionField }
        switch lookedUp.known {
        case .te where !value.equals("trailers"): throw .connectionField
        case .host: guard try admitHost(value) else { return }
        case .cookie: return cookies.add(value, isNeverIndexed: isNeverIndexed)
        case .contentLength: try admitContentLength(value)
        // The gateway generates the key (RFC 8441 §5).
        case .secWebSocketKey where asksForWebSocket: return
        default: break
        }
        addLine(name, value, lookedUp, checked, isNeverIndexed: isNeverIndexed)
    }

    /// Ends the section and validates the head.
    ///
    /// - Parameters:
    ///   - endsStream: true if nothing follows the section.
    ///   - webSocketKey: the `Sec-WebSocket-Key` to add to a request for the WebSocket protocol, which HTTP/2 sends
    ///     without one.
    public mutating func finish(endsStream: Bool, webSocketKey: String = "") throws(RequestHeadFault) {
        isEmpty = false
        do throws(RequestMalformation) {
            if !fieldsBegan { try beginFields() }
            try checkLength(endsStream: endsStream)
        } catch {
            fault = HeadFault(error)
            throw .malformed(error)
        }
        addLines(webSocketKey: webSocketKey)
        do throws(RequestHeadRejection) {
            try judge(endsStream: endsStream)
        } catch {
            if rejection == nil { fault = head.section.fault(error) }
            throw .rejected(error)
        }
    }

    /// Exchanges the complete head for an earlier one, whose storage is reused, and starts the next head.
    public mutating func exchange(for earlier: inout RequestHead) {
        swap(&head, &earlier)
        isEmpty = false
        reset()
    }

    /// Starts the next head and keeps the storage.
    public mutating func reset() {
        guard !isEmpty else { return }
        head.section.removeAll()
        forgetProgress()
    }

    /// Starts the next head and releases the storage, for a connection that becomes idle.
    public mutating func releaseStorage() {
        head = RequestHead()
        pseudoHeaders = RequestPseudoHeaders()
        cookies = CookieCrumbs()
        forgetProgress()
    }

    private mutating func forgetProgress() {
        isEmpty = true
        (fieldsBegan, hasHost) = (false, false)
        pseudoHeaders.removeAll(keepingUpTo: limits.head)
        cookies.removeAll(keepingUpTo: limits.head)
        (contentLength, rejection, fault, size) = (nil, nil, nil, 0)
    }

    // MARK: Pseudo-header fields

    /// Validates the pseudo-header fields after all were read, and writes the equivalent HTTP/1.1 lines.
    private mutating func beginFields() throws(RequestMalformation) {
        fieldsBegan = true
        let (method, target) = try pseudoHeaders.checked()
        do throws(RequestHeadRejection) {
            try beginHead(method, target)
        } catch {
            rejection = error
            fault = HeadFault(error, inTarget: pseudoHeaders.bytes.span.extracting(target))
        }
        guard let authority = pseudoHeaders.authority else { return }
        let source = pseudoHeaders.bytes
        let value = source.span.extracting(authority)
        guard FieldLine.trimmed(authority, in: source.span) == authority,
            addLine("host", value, isNeverIndexed: pseudoHeaders.authorityIsNeverIndexed)
        else { throw .invalidFieldValue }
    }

    private mutating func beginHead(_ method: Range<Int>, _ target: Range<Int>) throws(RequestHeadRejection) {
        let line = (asksForWebSocket ? 3 : method.count) &+ target.count &+ " HTTP/2.0".utf8.count &+ 1
        guard min(line, limits.head) <= limits.target &+ HeadLimits.lineAllowance else { throw .targetTooLong }
        guard line &+ 2 <= limits.head else { throw .field(.headTooLarge) }
        let source = pseudoHeaders.bytes
        let name =
            asksForWebSocket
            ? head.section.append("GET".utf8.span) : head.section.append(source.span.extracting(method))
        head.section.append(" ")
        let whole = head.section.append(source.span.extracting(target))
        head.section.append(" HTTP/2.0\r\n")
        let requestLine = try RequestLine(method: name, target: whole, in: head.section.bytes.span, limits: limits)
        head.method = requestLine.method
        head.target = requestLine.target
        head.target.isNeverIndexed = pseudoHeaders.pathIsNeverIndexed
        head.version = requestLine.version
    }

    // MARK: Fields with special rules

    /// Checks that `host` occurs once and agrees with `:authority` (RFC 9113 §8.3.1). Returns true if the line of
    /// `host` must be added.
    private mutating func admitHost(_ value: Span<UInt8>) throws(RequestMalformation) -> Bool {
        guard !hasHost else { throw .repeatedHost }
        hasHost = true
        guard let authority = pseudoHeaders.authority else { return true }
        guard pseudoHeaders.bytes.span.extracting(authority).equalsIgnoringCase(value) else {
            throw .hostContradictsAuthority
        }
        return false
    }

    private mutating func admitContentLength(_ value: Span<UInt8>) throws(RequestMalformation) {
        guard contentLength == nil, let length = try? ContentLength.parse(value) else { throw .contentLength }
        contentLength = length
    }

    /// Checks `Content-Length` against the end of the stream. A stream that has ended has no content, and a tunnel has
    /// no length.
    private func checkLength(endsStream: Bool) throws(RequestMalformation) {
        if asksForWebSocket {
            guard !endsStream, contentLength == nil else { throw .contentLength }
        } else if endsStream {
            guard contentLength ?? 0 == 0 else { throw .contentLength }
        }
    }

    // MARK: Judgement

    private mutating func judge(endsStream: Bool) throws(RequestHeadRejection) {
        if let rejection { throw rejection }
        guard head.section.bytes.count &+ 2 <= limits.head else { throw .field(.headTooLarge) }
        head.section.append("\r\n")
        try head.judge(targetAuthority: nil, limits: limits)
        if asksForWebSocket {
            // No other request follows on the stream, regardless of the response.
            head.keepsAlive = false
        } else if contentLength == nil, !endsStream {
            head.framing = .chunked
        }
    }

    // MARK: Lines

    /// Adds the lines of the joined `Cookie` field and, for a request for the WebSocket protocol, of the fields that
    /// HTTP/1.1 requires.
    private mutating func addLines(webSocketKey: String) {
        let cookies = cookies
        if !cookies.isAbsent { _ = addLine("cookie", cookies.bytes.span, isNeverIndexed: cookies.isNeverIndexed) }
        guard asksForWebSocket else { return }
        _ = addLine("upgrade", "websocket".utf8.span, isNeverIndexed: false)
        _ = addLine("sec-websocket-key", webSocketKey.utf8.span, isNeverIndexed: false)
    }

    /// Adds a line with an unchecked value. Returns false and adds nothing if the value is not a valid field value.
    private mutating func addLine(_ name: StaticString, _ value: Span<UInt8>, isNeverIndexed: Bool) -> Bool {
        name.withUTF8Buffer { name in
            let name = unsafe name.span
            guard let lookedUp = FieldSectionName(name, table: table), let checked = FieldSectionValue(value) else {
                return false
            }
            addLine(name, value.extracting(checked.trimmed), lookedUp, checked, isNeverIndexed: isNeverIndexed)
            return true
        }
    }

    /// Adds a line, unless the request is already refused.
    private mutating func addLine(
        _ name: Span<UInt8>,
        _ value: Span<UInt8>,
        _ lookedUp: FieldSectionName,
        _ checked: FieldSectionValue,
        isNeverIndexed: Bool
    ) {
        guard rejection == nil else { return }
        do throws(FieldRejection) {
            try head.section.add(
                name, value, as: lookedUp, hasObsText: checked.hasObsText, isNeverIndexed: isNeverIndexed,
                limits: limits)
        } catch {
            rejection = .field(error)
            fault = HeadFault(.field(error), inField: name, value)
        }
    }
}
