/// Writer of a message head: HTTP/1.1 text (`HeadWriter`) or HTTP/2 fields (`FieldWriter`).
///
/// One piece of logic writes both kinds. It writes everything that HTTP/1.1 needs, and the HTTP/2 writer leaves
/// hop-by-hop fields out. Use it as `some HeadOutput`, never as `any`. Literals of the program are trusted. Other bytes
/// are checked: if they could end a line, they are refused and nothing is written.
public protocol HeadOutput {
    /// Starts a new head and keeps the storage.
    mutating func reset()

    /// Writes the method and target of a request.
    ///
    /// - Parameter isNeverIndexed: as in `RequestTarget`.
    mutating func requestLine(method: Span<UInt8>, target: Span<UInt8>, isNeverIndexed: Bool) -> Bool

    /// Writes the method of a request, and its target as path and query.
    mutating func requestLine(method: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>, isNeverIndexed: Bool) -> Bool

    /// Writes the status of a response that the gateway generates. A status without exactly three digits becomes 500.
    mutating func statusLine(_ status: Int)

    /// Writes the status of a relayed response.
    mutating func statusLine(of head: ResponseHead)

    /// Copies the fields with these indices from a validated head.
    mutating func copy(_ fields: Range<Int>, of section: borrowing HeaderSection)

    mutating func field(_ name: KnownField, _ value: StaticString)
    mutating func field(_ name: KnownField, _ value: Int)
    mutating func field(_ name: KnownField, _ value: Span<UInt8>) -> Bool
    /// Writes a field whose value the program composed of letters, digits and dashes. It is not checked.
    mutating func field(_ name: KnownField, composed value: Span<UInt8>)
    mutating func field(_ name: StaticString, _ value: StaticString)
    mutating func field(_ name: StaticString, _ value: Int)
    mutating func field(_ name: StaticString, _ value: Span<UInt8>) -> Bool

    /// Writes a field that identifies the user. Its name is configured.
    mutating func field(_ name: FieldName, _ value: Span<UInt8>) -> Bool

    /// Writes a field. Both its name and its value come from outside the program.
    mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool

    /// Writes the name of a field whose value follows in parts.
    mutating func beginField(_ name: KnownField)
    mutating func valuePart(_ part: StaticString)
    mutating func valuePart(_ part: Span<UInt8>) -> Bool
    mutating func valuePart(_ number: Int)
    /// Ends the field that `beginField(_:)` began.
    mutating func endField()

    /// Writes complete, already encoded lines that identify the user.
    mutating func identityLines(_ lines: Span<UInt8>)

    /// Writes fields that were encoded in advance.
    mutating func fields(_ prepared: PreparedFields)

    /// Ends the head, in HTTP/1.1 with the blank line.
    mutating func finish()
}

extension HeadOutput {
    /// Copies the fields of a validated head for which `passes` returns true, in their order and without further
    /// checks. An HTTP/2 head gets the names that `FieldWriter` writes.
    @inlinable
    @inline(__always)
    public mutating func copy(_ section: borrowing HeaderSection, where passes: (HeaderField) -> Bool) {
        let fields = section.fields
        var first = 0
        for index in fields.indices where !passes(fields[index]) {
            if first < index { copy(first..<index, of: section) }
            first = index &+ 1
        }
        if first < fields.count { copy(first..<fields.count, of: section) }
    }
}

/// Writes a head as HTTP/1.1 text.
extension HeadWriter: HeadOutput {
    public mutating func requestLine(method: Span<UInt8>, target: Span<UInt8>, isNeverIndexed: Bool) -> Bool {
        requestLine(method: method, target: target)
    }

    public mutating func requestLine(method: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>, isNeverIndexed: Bool)
        -> Bool
    {
        requestLine(method: method, path: path, query: query)
    }

    public mutating func field(_ name: KnownField, _ value: StaticString) { field(name.name, value) }

    public mutating func field(_ name: KnownField, _ value: Int) { field(name.name, value) }

    public mutating func field(_ name: KnownField, _ value: Span<UInt8>) -> Bool { field(name.name, value) }

    public mutating func field(_ name: KnownField, composed value: Span<UInt8>) { appendLine(name.name, value) }

    public mutating func beginField(_ name: KnownField) { beginField(name.name) }

    public mutating func fields(_ prepared: PreparedFields) {
        let lines = prepared.lines
        append(lines.span)
    }

    public mutating func identityLines(_ lines: Span<UInt8>) { append(lines) }
}
