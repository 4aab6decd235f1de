/// Names and values of fields in one array, and their offsets.
struct FieldTable {
    var bytes: [UInt8] = []
    var entries: [FieldBlock.Entry] = []
    /// Whether fields are missing because the section went beyond a limit.
    var isTooLarge = false
    /// Size of the fields as lines of HTTP/1.1, with what was not kept; of a pseudo-header field, which has no line,
    /// its value alone.
    var size = 0
    /// Number of lines that the fields are in HTTP/1.1, with those that were not kept: all crumbs of `Cookie` are one,
    /// and so are `:authority` and the first `host`. No other pseudo-header field is one.
    var count = 0
    /// Size of the line that `:authority` and the first `host` are, the longer of both; 0 before one of them.
    private var hostLine = 0
    private var hasHost = false
    /// The crumbs of `Cookie`, which RFC 9113 §8.2.3 lets a client send one by one.
    var crumbs = 0

    /// Adds a field, unless the section is too large.
    ///
    /// - Returns: false if the section is so large that its stream ends.
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

    // The limits are those of HTTP/1.1, so that a request has the same answer over both. Whoever reads the section
    // measures it exactly.
    private mutating func countField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        if Self.equals(name, "cookie") { return countCrumb(value) }
        if Self.equals(name, ":authority") { return countHost(value) }
        // A second one is a line of its own, since an upstream may send as many as it likes.
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

    /// Each costs an entry besides the separator of two bytes that it has in the one field that they are together.
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

    /// The colon, a space and the end of the line.
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

    /// Makes it empty; the storage of an ordinary section is kept.
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

/// A field section as it was received: names and values in one array, and a table of their offsets.
///
/// Pooled: give it back to the ``HTTP2Storage`` once it has been read.
public final class FieldBlock {
    /// Position of one field in ``bytes``.
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

extension [UInt8] {
    /// Appends the bytes in one piece.
    mutating func append(copying bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }
}
