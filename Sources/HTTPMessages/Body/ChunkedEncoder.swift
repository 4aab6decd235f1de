import NetworkNames

/// Writes the chunked transfer coding (RFC 9112 §7.1), without extensions and trailers.
public enum ChunkedEncoder {
    /// The line end after each chunk's data.
    public static let dataEnd: [UInt8] = [0x0D, 0x0A]

    /// The last chunk and an empty trailer section, which end the body.
    public static let terminator: [UInt8] = [0x30, 0x0D, 0x0A, 0x0D, 0x0A]

    /// Appends the size line of a chunk. Appends nothing for zero bytes, because that would end the body.
    public static func appendSize(_ byteCount: Int, to bytes: inout [UInt8]) {
        guard byteCount > 0 else { return }
        var shift = (Int.bitWidth &- 1 &- byteCount.leadingZeroBitCount) & ~3
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: (byteCount &>> shift) & 0xF)
            bytes.append(digit < 10 ? ASCII.zero &+ digit : 0x57 &+ digit)
            shift &-= 4
        }
        bytes.append(ASCII.carriageReturn)
        bytes.append(ASCII.lineFeed)
    }
}
