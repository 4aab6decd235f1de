import NetworkNames

/// Builds response heads from HTTP/2 fields, one head after another. It applies the rules that a `ResponseHeadParser`
/// applies to the same response in HTTP/1.1 (RFC 9113 §8.3.2). The upstream may be hostile.
///
/// Each interim head (1xx) and the final head is a section. Each field is stored as a field line behind a status line
/// with the usual reason phrase. Nothing is parsed again, and readers of a head treat both kinds alike. `Connection`
/// and `Transfer-Encoding` are absent. Obs-text (0x80–0xFF) in values is kept.
///
/// After an error, only `reset()` or `releaseStorage()` makes the builder usable again.
public struct ResponseHeadBuilder: ~Copyable, Sendable {
    /// The head. Valid after `finish(endsStream:requestMethodIsHEAD:)`, until `reset()`.
    public private(set) var head = ResponseHead()

    private let limits: HeadLimits
    private let table = KnownFieldTable.standard
    private var hasStatus = false
    private var fieldsBegan = false
    private var contentLength: Int?
    /// Size of the fields so far as HTTP/1.1 lines. Compared with `HeadLimits.fieldSection`.
    private var size = 0
    /// The first reason to refuse the response. Nil if there is none so far.
    private var rejection: ResponseHeadRejection?

    public init(limits: HeadLimits = HeadLimits()) { self.limits = limits.reachable }

    /// Adds the next field, in the order of the section.
    ///
    /// - Parameter isNeverIndexed: true if the field arrived as a literal that is never indexed (RFC 7541 §6.2.3).
    public mutating func add(name: Span<UInt8>, value: Span<UInt8>, isNeverIndexed: Bool) throws(ResponseMalformation) {
        size &+= name.count &+ value.count &+ 4
        guard size <= limits.fieldSection else { throw .fieldSectionTooLarge }
        if !name.isEmpty, name[0] == ASCII.colon { return try addPseudoHeader(name, value) }
        guard hasStatus else { throw .pseudoHeader }
        fieldsBegan = true
        guard let lookedUp = FieldSectionName(name, table: table), let checked = FieldSectionValue(value) else {
            throw .invalidField
        }
        if lookedUp.isOfConnection { throw .connectionField }
        if lookedUp.known == .contentLength {
            guard contentLength == nil, let length = try? ContentLength.parse(value) else { throw .contentLength }
            contentLength = length
        }
        guard rejection == nil else { return }
        do throws(FieldRejection) {
            // White space around a value is tolerated, as in HTTP/1.1.
            try head.section.add(
                name, value.extracting(checked.trimmed), as: lookedUp, hasObsText: false,
                isNeverIndexed: isNeverIndexed, limits: limits)
        } catch {
            rejection = .field(error)
        }
    }

    /// Ends the section and validates the head.
    ///
    /// - Parameter endsStream: true if nothing follows the section.
    public mutating func finish(endsStream: Bool, requestMethodIsHEAD: Bool) throws(ResponseHeadFault) {
        guard hasStatus else { throw .malformed(.pseudoHeader) }
        let isInterim = head.status < 200
        guard !isInterim || !endsStream else { throw .malformed(.status) }
        let hasNoContent = isInterim || requestMethodIsHEAD || head.status == 204 || head.status == 304
        guard hasNoContent || !endsStream || contentLength ?? 0 == 0 else { throw .malformed(.contentLength) }
        do throws(ResponseHeadRejection) {
            try judge(requestMethodIsHEAD: requestMethodIsHEAD)
        } catch {
            throw .rejected(error)
        }
        guard !hasNoContent else { return }
        if endsStream {
            head.framing = .length(0)
        } else if contentLength == nil || head.isGRPC {
            // The trailers of gRPC carry the status of the call. HTTP/1.1 cannot send trailers after a body of known
            // length.
            head.framing = .chunked
        }
    }

    /// Exchanges the complete head for an earlier one, whose storage is reused, and starts the next head.
    public mutating func exchange(for earlier: inout ResponseHead) {
        swap(&head, &earlier)
        reset()
    }

    /// Starts the next head and keeps the storage.
    public mutating func reset() {
        head.section.removeAll()
        forgetProgress()
    }

    /// Starts the next head and releases the storage, for a connection that becomes idle.
    public mutating func releaseStorage() {
        head = ResponseHead()
        forgetProgress()
    }

    private mutating func forgetProgress() {
        (hasStatus, fieldsBegan) = (false, false)
        (contentLength, rejection, size) = (nil, nil, 0)
    }

    /// Reads `:status`, which must come once and before all fields. It has three digits and is never 101, which HTTP/2
    /// does not have (RFC 9113 §8.6).
    private mutating func addPseudoHeader(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(ResponseMalformation) {
        guard name.equals(":status"), !hasStatus, !fieldsBegan else { throw .pseudoHeader }
        guard value.count == 3, let status = NetworkNames.ASCII.decimal(value, atMost: 599), status >= 100,
            status != 101
        else { throw .status }
        hasStatus = true
        head.status = status
        head.version = .http2
        head.section.append("HTTP/2.0 ")
        _ = head.section.append(value)
        head.section.append(" ")
        let start = head.section.bytes.count
        head.section.append(ReasonPhrase.of(status))
        head.reason = start..<head.section.bytes.count
        head.section.append("\r\n")
    }

    private mutating func judge(requestMethodIsHEAD: Bool) throws(ResponseHeadRejection) {
        if let rejection { throw rejection }
        guard head.section.bytes.count &+ 2 <= limits.head else { throw .field(.headTooLarge) }
        head.section.append("\r\n")
        try head.judge(requestMethodIsHEAD: requestMethodIsHEAD, limits: limits)
    }
}
