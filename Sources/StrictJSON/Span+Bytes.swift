extension Span where Element == UInt8 {
    func elementsEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        for index in indices where self[index] != other[index] { return false }
        return true
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
