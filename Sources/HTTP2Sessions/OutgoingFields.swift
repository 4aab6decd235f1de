/// A field section to be sent. Reuse one to fill it without allocations.
///
/// Names are converted to lower case (RFC 9113 §8.2). An invalid field, such as a value with a line end, makes the
/// whole section unlawful, and it is not sent. The library (nghttp2) does not check fields.
public struct OutgoingFields {
    struct Entry: Hashable {
        var nameStart: Int32
        var nameEnd: Int32
        var valueEnd: Int32
        var indexing: FieldIndexing
    }

    /// Names and values of all fields, each value after its name.
    private(set) var bytes: [UInt8] = []
    private(set) var entries: [Entry] = []
    /// True if every field is valid, so the section may be sent.
    public private(set) var isLawful = true

    public init() {}

    public var count: Int { entries.count }
    public var isEmpty: Bool { entries.isEmpty }

    /// Removes all fields and keeps the storage.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        isLawful = true
    }

    public mutating func append(_ name: Span<UInt8>, _ value: Span<UInt8>, indexing: FieldIndexing = .without) {
        let start = bytes.count
        for index in name.indices { bytes.append(Self.lowercased(name[index])) }
        end(name: start, value, indexing)
    }

    /// - Parameter name: Name in lower case.
    public mutating func append(_ name: StaticString, _ value: Span<UInt8>, indexing: FieldIndexing = .without) {
        let start = bytes.count
        name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
        end(name: start, value, indexing)
    }

    /// - Parameters:
    ///   - name: Name in lower case.
    ///   - value: Visible characters only.
    public mutating func append(_ name: StaticString, _ value: StaticString) {
        value.withUTF8Buffer { unsafe append(name, $0.span) }
    }

    /// Replaces the fields by a whole section, in one copy. Each value follows its name.
    ///
    /// Names are not checked: they must be valid and in lower case. Of all bytes, only NUL, CR and LF are rejected.
    ///
    /// - Parameter field: Ranges of the name and value of the field with this index, and its indexing.
    public mutating func take(
        _ section: Span<UInt8>, count: Int,
        field: (Int) -> (name: Range<Int>, value: Range<Int>, indexing: FieldIndexing)
    ) {
        removeAll()
        isLawful = Self.isValue(section)
        bytes.append(copying: section)
        for index in 0..<count {
            let (name, value, indexing) = field(index)
            guard name.lowerBound >= 0, name.upperBound == value.lowerBound, !name.isEmpty,
                value.upperBound <= section.count
            else {
                isLawful = false
                return
            }
            entries.append(
                Entry(
                    nameStart: Int32(truncatingIfNeeded: name.lowerBound),
                    nameEnd: Int32(truncatingIfNeeded: name.upperBound),
                    valueEnd: Int32(truncatingIfNeeded: value.upperBound), indexing: indexing))
        }
    }

    /// Appends all fields of another section.
    mutating func append(contentsOf other: OutgoingFields) {
        let offset = Int32(truncatingIfNeeded: bytes.count)
        bytes.append(contentsOf: other.bytes)
        for entry in other.entries {
            entries.append(
                Entry(
                    nameStart: entry.nameStart &+ offset, nameEnd: entry.nameEnd &+ offset,
                    valueEnd: entry.valueEnd &+ offset, indexing: entry.indexing))
        }
        isLawful = isLawful && other.isLawful
    }

    /// Appends `:status`, the status of a response (RFC 9113 §8.3.2).
    public mutating func append(status: Int) {
        guard (100...999).contains(status) else { return isLawful = false }
        let digits: [3 of UInt8] = [digit(status / 100), digit(status / 10 % 10), digit(status % 10)]
        // The static table has the usual ones (RFC 7541, Appendix A).
        append(":status", digits.span, indexing: .indexed)
    }

    private func digit(_ value: Int) -> UInt8 { UInt8(truncatingIfNeeded: 0x30 &+ value) }

    private mutating func end(name start: Int, _ value: Span<UInt8>, _ indexing: FieldIndexing) {
        let nameEnd = bytes.count
        isLawful = isLawful && nameEnd > start && Self.isValue(value)
        for index in start..<nameEnd where !Self.isNameByte(bytes[index], at: index &- start) { isLawful = false }
        bytes.append(copying: value)
        entries.append(
            Entry(
                nameStart: Int32(truncatingIfNeeded: start), nameEnd: Int32(truncatingIfNeeded: nameEnd),
                valueEnd: Int32(truncatingIfNeeded: bytes.count), indexing: indexing))
    }

    // MARK: Valid names and values (RFC 9113 §8.2.1)

    private static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// True if the byte is valid in a name. A colon is valid only at the start (pseudo-header fields).
    private static func isNameByte(_ byte: UInt8, at index: Int) -> Bool {
        byte > 0x20 && byte < 0x7F && byte &- 0x41 >= 26 && (byte != 0x3A || index == 0)
    }

    private static func isValue(_ value: Span<UInt8>) -> Bool {
        // Without a branch, so that the compiler vectorizes the loop.
        var faults: UInt8 = 0
        for index in value.indices {
            let byte = value[index]
            faults |= (byte == 0 ? 1 : 0) | (byte == 0x0A ? 1 : 0) | (byte == 0x0D ? 1 : 0)
        }
        return faults == 0
    }
}
