/// A field name of HTTP/2 (RFC 9113 §8.2.1), looked up in the closed table.
struct FieldSectionName {
    let hash: UInt32
    let match: KnownFieldTable.Match?

    /// Returns nil unless the name is a token in lower case.
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

    /// The field that has exactly this name.
    var known: KnownField? {
        if case .name(let known)? = match { known } else { nil }
    }

    /// Whether the field is of a connection of HTTP/1.1, so that HTTP/2 does not have it (RFC 9113 §8.2.2).
    var isOfConnection: Bool {
        switch known {
        case .connection, .proxyConnection, .keepAlive, .transferEncoding, .upgrade: true
        default: false
        }
    }
}

/// A field value of HTTP/2 (RFC 9113 §8.2.1, RFC 9110 §5.5): no byte that ends a line or could be taken for an end.
struct FieldSectionValue {
    /// The value without the white space around it.
    let trimmed: Range<Int>
    /// Whether it has a byte above 0x7F.
    let hasObsText: Bool

    /// Returns nil for a value with a byte that may not stand in one.
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
