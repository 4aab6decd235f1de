import ByteWords

extension Span<UInt8> {
    /// The index after the string that begins with the quote at `start`. Nil if the string is not closed.
    func endOfString(from start: Int) -> Int? {
        var index = start &+ 1
        while true {
            index = firstOffset(from: index, filler: UInt8(ascii: " ")) { word in
                word.equal(to: UInt8(ascii: "\"")) | word.equal(to: UInt8(ascii: "\\"))
            }
            guard index < count else { return nil }
            if self[index] == UInt8(ascii: "\"") { return index &+ 1 }
            index &+= 2
        }
    }
}

extension [UInt8] {
    init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe Array(buffer) }
    }
}

extension String {
    /// The text of bytes that are known to be UTF-8.
    init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { buffer in unsafe String(decoding: buffer, as: UTF8.self) }
    }
}

extension StaticString {
    func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
        withUTF8Buffer { buffer in unsafe body(Span(_unsafeElements: buffer)) }
    }
}
