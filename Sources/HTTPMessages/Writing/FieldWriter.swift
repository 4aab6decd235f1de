import NetworkNames

/// Writes the fields of an HTTP/2 message (head or trailers) into a buffer that is reused for the next message (RFC
/// 9113 §8).
///
/// Names are written in lower case and pseudo-header fields first. `Host` becomes `:authority`, and 101 becomes 200
/// (RFC 8441 §5). Hop-by-hop fields are left out, so a caller may write the message as for HTTP/1.1. Secrets and the
/// fields that identify the user are never indexed (RFC 7541 §7.1.3).
///
/// The library that sends the fields checks none of them, so they must be checked here.
public struct FieldWriter: HeadOutput, Sendable {
    /// One field, as the ranges of its name and value in `bytes`.
    public struct Field: Hashable, Sendable {
        let start: UInt32
        let nameEnd: UInt32
        let valueEnd: UInt32

        /// True if the field is sent as a literal that is never indexed.
        public let isNeverIndexed: Bool

        /// True if many messages have the same field, so that it is worth an entry in the compression table.
        public var isPrepared = false

        public var name: Range<Int> { Int(start)..<Int(nameEnd) }
        public var value: Range<Int> { Int(nameEnd)..<Int(valueEnd) }

        /// The same field as a prepared one, with its ranges shifted by an offset.
        func prepared(behind offset: UInt32) -> Field {
            Field(
                start: start &+ offset, nameEnd: nameEnd &+ offset, valueEnd: valueEnd &+ offset,
                isNeverIndexed: isNeverIndexed, isPrepared: true)
        }
    }

    /// The value of `:scheme`: `https` if the upstream connection uses TLS.
    public enum Scheme: Sendable {
        case http
        case https
    }

    /// The value of `:scheme`. `reset()` keeps it.
    public var scheme: Scheme

    private var written = WrittenBytes()

    /// Names and values of all fields, one after another.
    public var bytes: ArraySlice<UInt8> { written.slice }

    /// Number of bytes of all names and values.
    public var byteCount: Int { written.count }

    /// The fields in the order in which they are sent.
    public private(set) var fields: [Field] = []

    private var pseudoHeaderCount = 0
    private var isRequest = false
    private var open = OpenField(start: 0, place: .leftOut)
    private let table = KnownFieldTable.standard

    /// The field whose value is being written.
    private struct OpenField {
        var start: Int
        var nameEnd = 0
        var place: Place
        var isNeverIndexed = false
    }

    private enum Place {
        case pseudoHeaders
        case fields
        /// The field is not forwarded beyond this hop.
        case leftOut
    }

    public init(scheme: Scheme = .https) { self.scheme = scheme }

    public mutating func reset() {
        written.removeAll()
        fields.removeAll(keepingCapacity: true)
        pseudoHeaderCount = 0
        isRequest = false
    }

    /// Calls `body` with the bytes and the fields, without a copy.
    public func withFields<Result, Failure>(
        _ body: (_ bytes: Span<UInt8>, _ fields: Span<Field>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try written.withSpan { bytes throws(Failure) in try body(bytes, fields.span) }
    }

    // MARK: Pseudo-header fields

    public mutating func requestLine(method: Span<UInt8>, target: Span<UInt8>, isNeverIndexed: Bool) -> Bool {
        guard method.isToken, target.isTarget else { return false }
        beginRequest(method)
        begin(":path", in: .pseudoHeaders, isNeverIndexed: isNeverIndexed)
        append(target)
        endField()
        return true
    }

    public mutating func requestLine(method: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>, isNeverIndexed: Bool)
        -> Bool
    {
        guard method.isToken, path.isTarget, query.isQuery else { return false }
        beginRequest(method)
        begin(":path", in: .pseudoHeaders, isNeverIndexed: isNeverIndexed)
        append(path)
        append("?")
        if let encoded = query.withEncodedObsText { append(encoded.span) } else { append(query) }
        endField()
        return true
    }

    private mutating func beginRequest(_ method: Span<UInt8>) {
        isRequest = true
        begin(":method", in: .pseudoHeaders)
        append(method)
        endField()
        begin(":scheme", in: .pseudoHeaders)
        append(scheme.text)
        endField()
    }

    public mutating func statusLine(_ status: Int) {
        let status = status >= 100 && status <= 999 ? status : 500
        begin(":status", in: .pseudoHeaders)
        // In HTTP/2 a tunnel is the content of an ordinary response (RFC 8441 §5).
        append(decimal: status == 101 ? 200 : status)
        endField()
        // The static table has entries for the usual statuses (RFC 7541, Appendix A).
        if let place = fields.indices.first { fields[place].isPrepared = true }  // in bounds: the first
    }

    public mutating func statusLine(of head: ResponseHead) { statusLine(head.status) }

    // MARK: Fields

    public mutating func copy(_ fields: Range<Int>, of section: borrowing HeaderSection) {
        for index in fields.clamped(to: section.fields.indices) { copy(section.fields[index], of: section) }
    }

    private mutating func copy(_ field: HeaderField, of section: borrowing HeaderSection) {
        guard field.value.upperBound <= section.bytes.count, !field.name.isEmpty else { return }
        let source = section.bytes.span
        if let known = field.known {
            begin(known, isNeverIndexed: field.isNeverIndexed)
        } else {
            begin(source.extracting(field.name), isNeverIndexed: field.isNeverIndexed)
        }
        append(source.extracting(field.value))
        endField()
    }

    public mutating func field(_ name: KnownField, _ value: StaticString) {
        beginField(name)
        append(value)
        endField()
    }

    public mutating func field(_ name: KnownField, _ value: Int) {
        beginField(name)
        append(decimal: value)
        endField()
    }

    public mutating func field(_ name: KnownField, composed value: Span<UInt8>) {
        beginField(name)
        append(value)
        endField()
    }

    public mutating func field(_ name: KnownField, _ value: Span<UInt8>) -> Bool {
        guard value.isFieldValue else { return false }
        beginField(name)
        append(value)
        endField()
        return true
    }

    public mutating func field(_ name: StaticString, _ value: StaticString) {
        name.withUTF8Buffer { name in value.withUTF8Buffer { unsafe append(name.span, $0.span, isNeverIndexed: false) }
        }
    }

    public mutating func field(_ name: StaticString, _ value: Int) {
        name.withUTF8Buffer { unsafe lookUpAndBegin($0.span, isNeverIndexed: false) }
        append(decimal: value)
        endField()
    }

    public mutating func field(_ name: StaticString, _ value: Span<UInt8>) -> Bool {
        guard value.isFieldValue else { return false }
        name.withUTF8Buffer { unsafe append($0.span, value, isNeverIndexed: false) }
        return true
    }

    public mutating func field(_ name: FieldName, _ value: Span<UInt8>) -> Bool {
        guard value.isFieldValue else { return false }
        append(name.spelling.span, value, isNeverIndexed: true)
        return true
    }

    public mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        guard name.isToken, value.isFieldValue else { return false }
        append(name, value, isNeverIndexed: false)
        return true
    }

    public mutating func beginField(_ name: KnownField) { begin(name, isNeverIndexed: false) }

    public mutating func valuePart(_ part: StaticString) { append(part) }

    public mutating func valuePart(_ part: Span<UInt8>) -> Bool {
        guard part.isFieldValue else { return false }
        append(part)
        return true
    }

    public mutating func valuePart(_ number: Int) { append(decimal: number) }

    public mutating func endField() {
        let field = Field(
            start: UInt32(truncatingIfNeeded: open.start),
            nameEnd: UInt32(truncatingIfNeeded: open.nameEnd),
            valueEnd: UInt32(truncatingIfNeeded: byteCount),
            isNeverIndexed: open.isNeverIndexed,
        )
        switch open.place {
        case .fields: fields.append(field)
        case .pseudoHeaders:
            fields.insert(field, at: pseudoHeaderCount)
            pseudoHeaderCount &+= 1
        case .leftOut: written.removeAll(from: open.start)
        }
        open = OpenField(start: byteCount, place: .leftOut)
    }

    public mutating func identityLines(_ lines: Span<UInt8>) {
        var start = 0
        while start < lines.count {
            var end = start
            var colon: Int?
            while end < lines.count, lines[end] != ASCII.carriageReturn {
                if lines[end] == ASCII.colon, colon == nil { colon = end }
                end &+= 1
            }
            guard let colon else { return }
            let value = FieldLine.trimmed(colon &+ 1..<end, in: lines)
            append(lines.extracting(start..<colon), lines.extracting(value), isNeverIndexed: true)
            start = end &+ 2
        }
    }

    public mutating func fields(_ prepared: PreparedFields) {
        let start = UInt32(truncatingIfNeeded: byteCount)
        let bytes = prepared.bytes
        append(bytes.span)
        for field in prepared.fields { fields.append(field.prepared(behind: start)) }
    }

    public mutating func finish() {
        guard isRequest else { return }
        // The gateway accepts trailers, whether or not its client does (RFC 9110 §10.1.4).
        begin("te", in: .fields)
        append("trailers")
        endField()
    }

    private mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool) {
        lookUpAndBegin(name, isNeverIndexed: isNeverIndexed)
        append(value)
        endField()
    }

    /// Begins a field whose name may be in the table of known fields.
    private mutating func lookUpAndBegin(_ name: Span<UInt8>, isNeverIndexed: Bool) {
        if case .name(let known)? = table.entry(hash: FieldNameHash.of(name), name: name) {
            begin(known, isNeverIndexed: isNeverIndexed)
        } else {
            begin(name, isNeverIndexed: isNeverIndexed)
        }
    }

    private mutating func begin(_ name: StaticString, in place: Place, isNeverIndexed: Bool = false) {
        open = OpenField(start: byteCount, place: place, isNeverIndexed: isNeverIndexed)
        append(name)
        open.nameEnd = byteCount
    }

    private mutating func begin(_ known: KnownField, isNeverIndexed: Bool) {
        if known == .host, isRequest { return begin(":authority", in: .pseudoHeaders, isNeverIndexed: isNeverIndexed) }
        // HTTP/2 has no WebSocket key to answer (RFC 8441 §5).
        let isLeftOut = known.isHopByHop || known == .secWebSocketAccept
        open = OpenField(
            start: byteCount, place: isLeftOut ? .leftOut : .fields,
            isNeverIndexed: isNeverIndexed || known.isSecret)
        let letters = table.letters
        append(letters.span.extracting(table.letters(of: known)))
        open.nameEnd = byteCount
    }

    private mutating func begin(_ name: Span<UInt8>, isNeverIndexed: Bool) {
        open = OpenField(start: byteCount, place: .fields, isNeverIndexed: isNeverIndexed)
        written.append(lowercased: name)
        open.nameEnd = byteCount
    }

    // MARK: Bytes

    private mutating func append(_ text: StaticString) { written.append(text) }

    private mutating func append(_ part: Span<UInt8>) { written.append(part) }

    private mutating func append(decimal number: Int) { written.append(decimal: number) }
}

extension FieldWriter.Scheme {
    fileprivate var text: StaticString {
        switch self {
        case .http: "http"
        case .https: "https"
        }
    }
}
