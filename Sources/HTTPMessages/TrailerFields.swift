extension RequestHead {
    /// Whether the client has said that it can use trailers (RFC 9110 §6.5.1).
    public var acceptsTrailers: Bool {
        guard contains(.te), version != .http10 else { return false }
        for field in fields(named: .te) {
            var elements = ListElements(field.value)
            while let element = elements.next(in: bytes.span) {
                if section.equals(element, ignoringCase: "trailers") { return true }
            }
        }
        return false
    }
}

/// The field lines of a trailer section that was judged already, one after another.
public struct TrailerFields: Sequence, IteratorProtocol, Sendable {
    private var lines: ArraySlice<UInt8>

    /// - Parameter lines: complete lines, as a `ChunkedDecoder` keeps them.
    public init(_ lines: [UInt8]) {
        self.lines = lines[...]
    }

    public struct Field: Sendable {
        public let name: ArraySlice<UInt8>
        /// Without white space around it.
        public let value: ArraySlice<UInt8>

        /// The field's entry in the closed table, also if it only resembles one.
        public var known: KnownField? {
            let name = name.span
            return KnownFieldTable.standard.entry(hash: FieldNameHash.of(name), name: name)?.field
        }
    }

    public mutating func next() -> Field? {
        guard let end = lines.firstIndex(of: ASCII.carriageReturn),
            let colon = lines[..<end].firstIndex(of: ASCII.colon)
        else {
            return nil
        }
        defer { lines = lines[end...].dropFirst(2) }
        var value = lines[colon..<end].dropFirst()
        while let first = value.first, ASCII.isOptionalWhitespace(first) { value.removeFirst() }
        while let last = value.last, ASCII.isOptionalWhitespace(last) { value.removeLast() }
        return Field(name: lines[..<colon], value: value)
    }
}
