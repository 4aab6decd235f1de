import NetworkNames

/// Writes an HTTP/1.1 head into a buffer that is reused for the next head.
///
/// Literals of the program are `StaticString` and trusted. Other bytes are checked, and refused if they could end the
/// line or start another. Fields of a parsed head are copied byte for byte.
public struct HeadWriter: Sendable {
    private var written = WrittenBytes()

    /// Number of bytes written since the last `reset()`.
    public var count: Int { written.count }

    public init() {}

    /// The bytes written since the last `reset()`.
    public var bytes: ArraySlice<UInt8> { written.slice }

    /// Calls `body` with the bytes written since the last `reset()`, without a copy.
    public func withBytes<Result>(_ body: (Span<UInt8>) -> Result) -> Result { written.withSpan(body) }

    /// Starts a new head and keeps the storage.
    public mutating func reset() { written.removeAll() }

    /// Writes an HTTP/1.1 request line for a parser that validates its target.
    ///
    /// Refuses a method that is no token, and a target that could end the line. A target with a space makes a line that
    /// every parser refuses (RFC 9112 §3).
    public mutating func requestLine(method: Span<UInt8>, received target: Span<UInt8>) -> Bool {
        guard method.isToken, !target.isEmpty, target.isFieldValue else { return false }
        append(method)
        append(" ")
        append(target)
        append(" HTTP/1.1\r\n")
        return true
    }

    /// Writes an HTTP/1.1 request line. Refuses a method that is no token, and a target with other than target
    /// characters.
    public mutating func requestLine(method: Span<UInt8>, target: Span<UInt8>) -> Bool {
        guard method.isToken, target.isTarget else { return false }
        append(method)
        append(" ")
        append(target)
        append(" HTTP/1.1\r\n")
        return true
    }

    /// Writes an HTTP/1.1 request line whose target is the path, a question mark and the query. Bytes above 0x7F in the
    /// query are percent-encoded.
    public mutating func requestLine(method: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>) -> Bool {
        guard method.isToken, path.isTarget, query.isQuery else { return false }
        append(method)
        append(" ")
        append(path)
        append("?")
        if let encoded = query.withEncodedObsText { append(encoded.span) } else { append(query) }
        append(" HTTP/1.1\r\n")
        return true
    }

    /// Writes an HTTP/1.1 status line with the usual reason phrase. A status without exactly three digits becomes 500.
    public mutating func statusLine(_ status: Int) {
        let status = status >= 100 && status <= 999 ? status : 500
        append("HTTP/1.1 ")
        append(decimal: status)
        append(" ")
        append(ReasonPhrase.of(status))
        append("\r\n")
    }

    /// Writes the status line of a relayed response: its status and reason phrase, as HTTP/1.1.
    public mutating func statusLine(of head: ResponseHead) {
        append("HTTP/1.1 ")
        append(decimal: head.status)
        append(" ")
        append(head.bytes.span.extracting(head.reason))
        append("\r\n")
    }

    /// Copies field lines of a parsed head: names and values byte for byte, with one space between.
    public mutating func copy(_ fields: Range<Int>, of section: borrowing HeaderSection) {
        let source = section.bytes.span
        // Adjacent lines that can be copied as they are.
        var piece = 0..<0
        for index in fields.clamped(to: section.fields.indices) {
            let field = section.fields[index]
            guard field.value.upperBound <= source.count, !field.name.isEmpty else { continue }
            let line = Self.plainLine(of: field, in: source)
            if let line, line.lowerBound == piece.upperBound {
                piece = piece.lowerBound..<line.upperBound
                continue
            }
            if !piece.isEmpty { append(source.extracting(piece)) }
            piece = line ?? 0..<0
            if line == nil { appendLine(source.extracting(field.name), source.extracting(field.value)) }
        }
        if !piece.isEmpty { append(source.extracting(piece)) }
    }

    /// The range of the whole line if it can be copied as it is: one space after the colon, and CR LF after the value.
    /// Nil otherwise.
    private static func plainLine(of field: HeaderField, in source: Span<UInt8>) -> Range<Int>? {
        let (colon, value, end) = (field.name.upperBound, field.value.lowerBound, field.value.upperBound)
        guard value == colon &+ 2, value <= end, end &+ 2 <= source.count else { return nil }
        guard source[value &- 1] == ASCII.space, source[end] == ASCII.carriageReturn, source[end &+ 1] == ASCII.lineFeed
        else { return nil }
        return field.name.lowerBound..<end &+ 2
    }

    /// Writes a field whose name and value are literals of the program.
    public mutating func field(_ name: StaticString, _ value: StaticString) {
        name.withUTF8Buffer { name in value.withUTF8Buffer { value in unsafe appendLine(name.span, value.span) } }
    }

    /// Writes a field whose value is a number.
    public mutating func field(_ name: StaticString, _ value: Int) {
        beginField(name)
        append(decimal: value)
        endField()
    }

    /// Writes a field. Refuses a value with a byte that is not allowed in field values.
    public mutating func field(_ name: StaticString, _ value: Span<UInt8>) -> Bool {
        guard value.isFieldValue else { return false }
        name.withUTF8Buffer { unsafe appendLine($0.span, value) }
        return true
    }

    /// Writes a field. Refuses a value with a byte that is not allowed in field values.
    public mutating func field(_ name: StaticString, _ value: [UInt8]) -> Bool { field(name, value.span) }

    /// Writes a field with a configured name. Refuses a value with a byte that is not allowed in field values.
    public mutating func field(_ name: FieldName, _ value: Span<UInt8>) -> Bool {
        guard value.isFieldValue else { return false }
        appendLine(name.spelling.span, value)
        return true
    }

    /// Writes a field with a configured name. Refuses a value with a byte that is not allowed in field values.
    public mutating func field(_ name: FieldName, _ value: [UInt8]) -> Bool { field(name, value.span) }

    /// Writes a field. Refuses a name that is no token, and a value with a byte that is not allowed in field values.
    public mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool {
        guard name.isToken, value.isFieldValue else { return false }
        appendLine(name, value)
        return true
    }

    /// Appends the complete lines of another writer.
    mutating func append(_ other: borrowing HeadWriter) {
        append(other.bytes.span)
    }

    /// Writes the name and colon of a field whose value follows in parts.
    public mutating func beginField(_ name: StaticString) {
        append(name)
        append(": ")
    }

    /// Writes a part of a value that is a literal of the program.
    public mutating func valuePart(_ part: StaticString) { append(part) }

    /// Writes a part of a value. Refuses a part with a byte that is not allowed in field values.
    public mutating func valuePart(_ part: Span<UInt8>) -> Bool {
        guard part.isFieldValue else { return false }
        append(part)
        return true
    }

    /// Writes a number as a part of a value.
    public mutating func valuePart(_ number: Int) { append(decimal: number) }

    /// Ends the field that `beginField(_:)` began.
    public mutating func endField() { append("\r\n") }

    /// Writes the blank line that ends the head.
    public mutating func finish() { append("\r\n") }

    /// Appends content of the message behind the finished head.
    public mutating func content(_ bytes: Span<UInt8>) { written.append(bytes) }

    /// Appends content of the message behind the finished head.
    public mutating func content(_ bytes: [UInt8]) { written.append(bytes.span) }

    private mutating func append(_ text: StaticString) { written.append(text) }

    mutating func append(_ other: Span<UInt8>) { written.append(other) }

    private mutating func append(decimal number: Int) { written.append(decimal: number) }

    private mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>) { written.appendLine(name, value) }

    mutating func appendLine(_ name: StaticString, _ value: Span<UInt8>) {
        name.withUTF8Buffer { unsafe appendLine($0.span, value) }
    }
}
