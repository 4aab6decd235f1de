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
