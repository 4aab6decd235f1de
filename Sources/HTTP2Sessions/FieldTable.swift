/// Fields of one section: names and values in one array, with a table of their offsets.
struct FieldTable {
    var bytes: [UInt8] = []
    var entries: [FieldBlock.Entry] = []
    /// True if the section exceeded a limit, so fields are missing.
    var isTooLarge = false
    /// Size of the section as HTTP/1.1 lines, including fields that were not kept. A pseudo-header field has no line,
    /// so only its value counts.
    var size = 0
    /// Number of HTTP/1.1 lines, including fields that were not kept. All `Cookie` crumbs count as one line, and so do
    /// `:authority` and the first `host`. Other pseudo-header fields do not count.
    var count = 0
    /// Size of the one `Host` line for `:authority` and the first `host`: the longer of the two. 0 before either.
    private var hostLine = 0
    private var hasHost = false
    /// Number of `Cookie` crumbs. RFC 9113 §8.2.3 lets a client split `Cookie` into several fields.
    var crumbs = 0

    /// Adds a field, unless the section is too large.
    ///
    /// - Returns: False if the section exceeds ``HTTP2Limits/hardFactor`` times a limit, so the stream must be reset.
    mutating func append(
        _ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool, limits: HTTP2Limits
    ) -> Bool {
        countField(name, value)
        if exceeds(limits) {
            isTooLarge = true
            return !exceeds(limits, times: HTTP2Limits.hardFactor)
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

    // The limits are those of HTTP/1.1, so that a request gets the same answer over both. This is an estimate; the
    // reader of the section measures it exactly.
    private mutating func countField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if Self.equals(name, "cookie") { return countCrumb(value) }
        if Self.equals(name, ":authority") { return countHost(value) }
        // A second `host` counts as a line, since an upstream may send any number of them.
        if Self.equals(name, "host"), !hasHost {
            hasHost = true
            return countHost(value)
        }
        guard name.isEmpty || name[0] != UInt8(ascii: ":") else {
            size &+= value.count
            return
        }
        size &+= name.count &+ value.count &+ Self.lineOverhead
        count &+= 1
    }

    /// Counts a crumb as its value, the two-byte separator in the joined field, and 32 bytes for the entry.
    private mutating func countCrumb(_ value: Span<UInt8>) {
        size &+= value.count &+ 2 &+ 32
        if crumbs == 0 { count &+= 1 }
        crumbs &+= 1
    }

    private mutating func countHost(_ value: Span<UInt8>) {
        let line = "host".utf8.count &+ value.count &+ Self.lineOverhead
        if hostLine == 0 { count &+= 1 }
        size &+= max(0, line &- hostLine)
        hostLine = max(hostLine, line)
    }

    /// Size of the colon, the space and the line end.
    private static let lineOverhead = 4

    private static func equals(_ name: Span<UInt8>, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            guard name.count == text.count else { return false }
            for index in name.indices where unsafe name[index] != text[index] { return false }
            return true
        }
    }

    private func exceeds(_ limits: HTTP2Limits, times factor: Int = 1) -> Bool {
        size > factor &* limits.fieldSection || count > factor &* limits.fields
            || crumbs > factor &* HTTP2Limits.cookieCrumbs
    }

    /// Removes all fields. Keeps the storage of an ordinary section.
    mutating func removeAll() {
        let isOrdinary = bytes.capacity <= 16 * 1024 && entries.capacity <= 256
        bytes.removeAll(keepingCapacity: isOrdinary)
        entries.removeAll(keepingCapacity: isOrdinary)
        isTooLarge = false
        size = 0
        count = 0
        (hostLine, hasHost) = (0, false)
        crumbs = 0
    }
}

/// A received field section: names and values in one array, with a table of their offsets.
///
/// Pooled: return it to ``HTTP2Storage`` after reading it.
public final class FieldBlock {
    /// Offsets of one field in ``FieldBlock/bytes``.
    public struct Entry: Hashable, Sendable {
        public let nameStart: Int32
        /// End of the name, and start of the value.
        public let nameEnd: Int32
        public let valueEnd: Int32
        /// True if no hop may add the field to a compression table (RFC 7541 §7.1.3).
        public let isNeverIndexed: Bool

        public var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }
        public var value: Range<Int> { Int(nameEnd)..<Int(valueEnd) }
    }

    /// Unchecked: one session writes it, and its caller reads it only once it is complete.
    @safe @exclusivity(unchecked) private var table = FieldTable()

    init() {}

    public var bytes: [UInt8] { table.bytes }
    public var entries: [Entry] { table.entries }
    /// True if the section exceeded a limit, so fields are missing.
    public var isTooLarge: Bool { table.isTooLarge }
    /// Number of HTTP/1.1 lines, including fields that were not kept.
    var count: Int { table.count }

    /// Adds a field, unless the section is too large.
    ///
    /// - Returns: False if the section exceeds ``HTTP2Limits/hardFactor`` times a limit, so the stream must be reset.
    func append(_ name: Span<UInt8>, _ value: Span<UInt8>, isNeverIndexed: Bool, limits: HTTP2Limits) -> Bool {
        table.append(name, value, isNeverIndexed: isNeverIndexed, limits: limits)
    }

    /// Calls the closure for each field, in the order of the section.
    @inlinable
    public func forEach<Failure>(
        _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>, _ isNeverIndexed: Bool) throws(Failure) -> Void
    ) throws(Failure) {
        let bytes = bytes
        for entry in entries {
            try body(bytes.span.extracting(entry.name), bytes.span.extracting(entry.value), entry.isNeverIndexed)
        }
    }

    /// Removes all fields. Keeps the storage of an ordinary section.
    func removeAll() { table.removeAll() }
}

@available(*, unavailable)
extension FieldBlock: Sendable {}

extension [UInt8] {
    /// Appends the bytes in one copy.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
