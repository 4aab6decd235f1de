/// Names and values of fields in one array, and their offsets.
struct FieldTable {
    var bytes: [UInt8] = []
    var entries: [FieldBlock.Entry] = []
    /// Whether fields are missing because the section went beyond a limit.
    var isTooLarge = false
    /// As RFC 9113 §6.5.2 counts, with what was not kept.
    var size = 0
    /// With those that were not kept.
    var count = 0

    /// Adds a field, unless the section is too large.
    ///
    /// - Returns: false if the section is so large that its stream ends.
    mutating func append(
        _ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool, limits: HTTP2Limits
    ) -> Bool {
        size &+= name.count &+ value.count &+ 32
        count &+= 1
        if size > limits.fieldSection || count > limits.fields {
            isTooLarge = true
            return size <= HTTP2Limits.hardFactor &* limits.fieldSection
                && count <= HTTP2Limits.hardFactor &* limits.fields
        }
        guard !isTooLarge else { return true }
        let nameStart = Int32(truncatingIfNeeded: bytes.count)
        bytes.append(copying: name)
        let nameEnd = Int32(truncatingIfNeeded: bytes.count)
        bytes.append(copying: value)
        entries.append(
            FieldBlock.Entry(
                nameStart: nameStart, nameEnd: nameEnd, valueEnd: Int32(truncatingIfNeeded: bytes.count),
                isNeverIndexed: isNeverIndexed))
        return true
    }

    /// Makes it empty; the storage of an ordinary section is kept.
    mutating func removeAll() {
        let isOrdinary = bytes.capacity <= 16 * 1024 && entries.capacity <= 256
        bytes.removeAll(keepingCapacity: isOrdinary)
        entries.removeAll(keepingCapacity: isOrdinary)
        isTooLarge = false
        size = 0
        count = 0
    }
}
