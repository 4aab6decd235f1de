import ByteWords
import NetworkNames

/// Set of bytes that are allowed in a line of a head or in a field value, in addition to HTAB and 0x20–0x7E.
enum ByteRepertoire {
    case ascii
    /// Also allows 0x80–0xFF (RFC 9110 §5.5).
    case obsText

    /// Offset of the first byte from `start` on that is not allowed, or the count of the bytes if all are.
    @inline(__always)
    func end(in bytes: Span<UInt8>, from start: Int) -> Int {
        switch self {
        case .ascii: Self.end(in: bytes, from: start) { $0.outside(0x20...0x7E) }
        case .obsText: Self.end(in: bytes, from: start) { $0.outside(0x20...0x7E) & ~$0.nonASCII }
        }
    }

    /// - Parameter others: marks the bytes that are not allowed, and HTAB.
    private static func end(in bytes: Span<UInt8>, from start: Int, others: (ByteWord) -> ByteMarks) -> Int {
        var index = start
        while true {
            index = bytes.firstOffset(from: index, filler: UInt8(ascii: " "), where: others)
            guard index < bytes.count, bytes[index] == ASCII.tab else { return index }
            index &+= 1
        }
    }
}
