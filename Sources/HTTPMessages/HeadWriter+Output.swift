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
