import NetworkNames

/// Bytes of a message that is being written, in a buffer that is reused for the next message.
struct WrittenBytes: Sendable {
    /// The buffer, initialised completely. Its first `count` bytes are those written so far.
    private var storage: [UInt8] = []

    /// Number of bytes written since the last `removeAll()`.
    private(set) var count = 0

    var slice: ArraySlice<UInt8> { storage.prefix(count) }

    /// Calls `body` with the bytes, without a copy.
    @inline(__always)
    func withSpan<Result, Failure>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(storage.span.extracting(first: count))
    }

    /// Starts again and keeps the storage.
    mutating func removeAll() { count = 0 }

    /// Discards the bytes from an offset on.
    mutating func removeAll(from start: Int) { count = max(0, min(count, start)) }

    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { unsafe append($0.span) }
    }

    mutating func append(_ other: Span<UInt8>) {
        let start = room(for: other.count)
        unsafe storage.withUnsafeMutableBytes { unsafe $0.put(other, at: start) }
    }

    /// Appends a name in lower case.
    mutating func append(lowercased name: Span<UInt8>) {
        let start = room(for: name.count)
        var storage = storage.mutableSpan
        for index in name.indices { storage[start &+ index] = ASCII.lowercased(name[index]) }
    }

    mutating func append(decimal number: Int) {
        DecimalDigits(number).withSpan { append($0) }
    }

    /// Appends a field line: name, colon, space, value, CR LF.
    mutating func appendLine(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        let start = room(for: name.count &+ value.count &+ 4)
        unsafe storage.withUnsafeMutableBytes { unsafe $0.putLine(name, value, at: start) }
    }

    /// Reserves space for more bytes and returns its offset.
    private mutating func room(for more: Int) -> Int {
        let start = count
        count &+= more
        if count > storage.count {
            storage.append(contentsOf: repeatElement(0, count: max(count, 2 &* storage.count, 1024) &- storage.count))
        }
        return start
    }
}
