/// Destination of a message's head: HTTP/1.1 text (`HeadWriter`) or the fields of HTTP/2 (`FieldWriter`).
///
/// One piece of code writes both kinds. It writes everything that HTTP/1.1 needs, and the fields of HTTP/2 leave out
/// what concerns the connection. Take it as `some HeadOutput`, never as `any`. Text that the program fixes is trusted.
/// Bytes from elsewhere are checked, and refused without writing anything if they could end a line.
public protocol HeadOutput {
    /// Starts a new head; storage is kept.
    mutating func reset()

    /// Writes the method and target of a request.
    ///
    /// - Parameter isNeverIndexed: as in `RequestTarget`.
    mutating func requestLine(method: Span<UInt8>, target: Span<UInt8>, isNeverIndexed: Bool) -> Bool

    /// Writes the method of a request, and its target from path and query.
    mutating func requestLine(method: Span<UInt8>, path: Span<UInt8>, query: Span<UInt8>, isNeverIndexed: Bool) -> Bool

    /// Writes the status of a response of ours; one that is not of three digits becomes 500.
    mutating func statusLine(_ status: Int)

    /// Writes the status of a response that is relayed.
    mutating func statusLine(of head: ResponseHead)

    /// Copies fields of a head that was judged, given by their indices among its fields.
    mutating func copy(_ fields: Range<Int>, of section: borrowing HeaderSection)

    mutating func field(_ name: KnownField, _ value: StaticString)
    mutating func field(_ name: KnownField, _ value: Int)
    mutating func field(_ name: KnownField, _ value: Span<UInt8>) -> Bool
    mutating func field(_ name: StaticString, _ value: StaticString)
    mutating func field(_ name: StaticString, _ value: Int)
    mutating func field(_ name: StaticString, _ value: Span<UInt8>) -> Bool

    /// Writes a field with a configured name: who the user is.
    mutating func field(_ name: FieldName, _ value: Span<UInt8>) -> Bool

    /// Writes a field whose name comes from elsewhere too.
    mutating func field(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Bool

    /// Writes the name of a field whose value follows in parts.
    mutating func beginField(_ name: KnownField)
    mutating func valuePart(_ part: StaticString)
    mutating func valuePart(_ part: Span<UInt8>) -> Bool
    mutating func valuePart(_ number: Int)
    /// Ends the field that `beginField(_:)` began.
    mutating func endField()

    /// Writes complete lines that are encoded already and say who the user is.
    mutating func identityLines(_ lines: Span<UInt8>)

    /// Writes fields that were written once before.
    mutating func fields(_ prepared: PreparedFields)

    /// Ends the head.
    mutating func finish()
}

extension HeadOutput {
    /// Copies the fields of a head that was judged for which `passes` says so.
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

/// HTTP/1.1 text.
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

    public mutating func beginField(_ name: KnownField) { beginField(name.name) }

    public mutating func fields(_ prepared: PreparedFields) {
        let lines = prepared.lines
        append(lines.span)
    }

    public mutating func identityLines(_ lines: Span<UInt8>) { append(lines) }
}
