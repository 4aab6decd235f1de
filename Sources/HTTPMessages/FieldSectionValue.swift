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
