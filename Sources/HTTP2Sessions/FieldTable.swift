/// Names and values of fields in one array, and their offsets.
struct FieldTable {
    var bytes: [UInt8] = []
    var entries: [FieldBlock.Entry] = []
    /// Whether fields are missing because the section went beyond a limit.
    var isTooLarge = false
    /// As RFC 9113 §6.5.2 counts, with what was not kept.
    var size = 0
    /// With those that were not kept; all crumbs of `Cookie` are one.
    var count = 0
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

    private mutating func countField(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        guard Self.isCookie(name) else {
            size &+= name.count &+ value.count &+ 32
            count &+= 1
            return
        }
        // In the one field that they are together, each has a separator of two bytes.
        size &+= value.count &+ 2 &+ 32
        if crumbs == 0 { count &+= 1 }
        crumbs &+= 1
    }

    private static func isCookie(_ name: Span<UInt8>) -> Bool {
        let cookie: StaticString = "cookie"
        return cookie.withUTF8Buffer { cookie in
            guard name.count == cookie.count else { return false }
            for index in name.indices where unsafe name[index] != cookie[index] { return false }
            return true
        }
    }

    private func exceeds(_ limits: HTTP2Limits, times factor: Int = 1) -> Bool {
        size > factor &* limits.fieldSection || count > factor &* limits.fields || crumbs > factor &* HTTP2Limits.cookieCrumbs
    }

    /// Makes it empty; the storage of an ordinary section is kept.
    mutating func removeAll() {
        let isOrdinary = bytes.capacity <= 16 * 1024 && entries.capacity <= 256
        bytes.removeAll(keepingCapacity: isOrdinary)
        entries.removeAll(keepingCapacity: isOrdinary)
        isTooLarge = false
        size = 0
        count = 0
        crumbs = 0
    }
}
