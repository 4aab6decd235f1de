/// A field section as it was received: names and values behind each other in one array, and a table of where they are.
///
/// Pooled: give it back to the ``HTTP2Storage`` once it has been read.
public final class FieldBlock {
    /// Where one field is in ``bytes``.
    public struct Entry: Hashable, Sendable {
        public let nameStart: Int32
        /// The value begins where the name ends.
        public let nameEnd: Int32
        public let valueEnd: Int32
        /// Whether no hop may put it into a compression table (RFC 7541 §7.1.3).
        public let isNeverIndexed: Bool

        public var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        public var value: Range<Int> { Int(nameEnd)..<Int(valueEnd) }
    }

    public private(set) var bytes: [UInt8] = []
    public private(set) var entries: [Entry] = []
    /// Whether fields are missing because the section went beyond a limit.
    public private(set) var isTooLarge = false
    /// As RFC 9113 §6.5.2 counts, with what was not kept.
    private(set) var size = 0
    /// With those that were not kept.
    private(set) var count = 0

    init() {}

    /// Adds a field, unless the section is too large.
    ///
    /// - Returns: false if the section is so large that its stream ends.
    func append(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool, limits: HTTP2Limits) -> Bool {
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
            Entry(
                nameStart: nameStart, nameEnd: nameEnd, valueEnd: Int32(truncatingIfNeeded: bytes.count),
                isNeverIndexed: isNeverIndexed))
        return true
    }

    /// Makes it empty; the storage of an ordinary section is kept.
    func removeAll() {
        let isOrdinary = bytes.capacity <= 16 * 1024 && entries.capacity <= 256
        bytes.removeAll(keepingCapacity: isOrdinary)
        entries.removeAll(keepingCapacity: isOrdinary)
        isTooLarge = false
        size = 0
        count = 0
    }
}

@available(*, unavailable)
extension FieldBlock: Sendable {}
