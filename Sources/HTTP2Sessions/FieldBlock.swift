/// A field section as it was received: names and values in one array, and a table of their offsets.
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

    /// Unchecked: written by one session, read by its caller once it is complete.
    @safe @exclusivity(unchecked) private var table = FieldTable()

    init() {}

    public var bytes: [UInt8] { table.bytes }
    public var entries: [Entry] { table.entries }
    /// Whether fields are missing because the section went beyond a limit.
    public var isTooLarge: Bool { table.isTooLarge }
    /// How many fields there were, with those that were not kept.
    var count: Int { table.count }

    /// Adds a field, unless the section is too large.
    ///
    /// - Returns: false if the section is so large that its stream ends.
    func append(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool, limits: HTTP2Limits) -> Bool {
        table.append(name, value, isNeverIndexed: isNeverIndexed, limits: limits)
    }

    /// Hands over each field, in the order of the section.
    @inlinable
    public func forEach<Failure>(
        _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>, _ isNeverIndexed: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = bytes
        for entry in entries {
            try body(bytes.span.extracting(entry.name), bytes.span.extracting(entry.value), entry.isNeverIndexed)
        }
    }

    /// Makes it empty; the storage of an ordinary section is kept.
    func removeAll() { table.removeAll() }
}

@available(*, unavailable)
extension FieldBlock: Sendable {}
