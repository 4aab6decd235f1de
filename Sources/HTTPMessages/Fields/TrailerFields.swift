import NetworkNames

/// The field lines of a validated trailer section, one after another.
public struct TrailerFields: Sequence, IteratorProtocol, Sendable {
    private var lines: ArraySlice<UInt8>

    /// - Parameter lines: complete lines, in the form that a `ChunkedDecoder` keeps.
    public init(_ lines: [UInt8]) {
        self.lines = lines[...]
    }

    public struct Field: Sendable {
        public let name: ArraySlice<UInt8>
        /// The value without white space around it.
        public let value: ArraySlice<UInt8>

        /// The known field that this name is or resembles. Nil for any other name.
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
