/// A field name of HTTP/2 (RFC 9113 §8.2.1), looked up in the table of known fields.
struct FieldSectionName {
    let hash: UInt32
    let match: KnownFieldTable.Match?

    /// Looks up a field name. Nil unless it is a token in lower case.
    @inline(__always)
    init?(_ name: Span<UInt8>, table: KnownFieldTable) {
        guard !name.isEmpty else { return nil }
        var hash = FieldNameHash()
        for index in name.indices {
            let byte = name[index]
            let folded = table.foldedTokens[Int(byte)]
            guard folded != 0, byte &- 0x41 >= 26 else { return nil }
            hash.combine(folded)
        }
        self.hash = hash.value
        match = table.entry(hash: hash.value, name: name)
    }

    /// The known field with exactly this name. Nil for look-alikes and other names.
    var known: KnownField? {
        if case .name(let known)? = match { known } else { nil }
    }

    /// True for connection-specific fields of HTTP/1.1, which HTTP/2 forbids (RFC 9113 §8.2.2).
    var isOfConnection: Bool {
        switch known {
        case .connection, .proxyConnection, .keepAlive, .transferEncoding, .upgrade: true
        default: false
        }
    }
}

/// A field value of HTTP/2 (RFC 9113 §8.2.1, RFC 9110 §5.5), without bytes that end a line or could be taken for a line
/// end.
struct FieldSectionValue {
    /// The range of the value without white space at its ends.
    let trimmed: Range<Int>
    /// True if the value has a byte above 0x7F.
    let hasObsText: Bool

    /// Checks and trims a value. Nil if it has a byte that is not allowed in field values.
    @inline(__always)
    init?(_ value: Span<UInt8>) {
        let end = ByteRepertoire.ascii.end(in: value, from: 0)
        if end < value.count {
            guard value[end] >= 0x80, ByteRepertoire.obsText.end(in: value, from: end) == value.count else {
                return nil
            }
        }
        hasObsText = end < value.count
        trimmed = FieldLine.trimmed(0..<value.count, in: value)
    }
}
