/// Text in gzip (RFC 1952), made without a library.
enum Gzip {
    /// The bytes in stored blocks, with a few more bytes each.
    static func stored(_ bytes: [UInt8]) -> [UInt8] {
        var zipped: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
        var rest = bytes[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            zipped += [rest.isEmpty ? 1 : 0] + littleEndian(UInt32(count), 2) + littleEndian(UInt32(~count), 2) + block
        } while !rest.isEmpty
        return zipped + littleEndian(checksum(bytes), 4) + littleEndian(UInt32(bytes.count), 4)
    }

    /// Beginning of a compressed text of spaces: each byte after the first 26 expands to 1,032 spaces.
    static let bomb: [UInt8] =
        [
            0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03, 0xED, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0x2A, 0xEB, 0x9F,
            0xD2, 0x10, 0xBE,
            0x40,
        ] + [UInt8](repeating: 0, count: 64 * 1024)

    private static func littleEndian(_ number: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt32(8 * $0)) }
    }

    /// CRC-32 (RFC 1952 §8), bit by bit.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var remainder = UInt32.max
        for byte in bytes {
            remainder ^= UInt32(byte)
            for _ in 0..<8 { remainder = remainder & 1 == 0 ? remainder >> 1 : remainder >> 1 ^ 0xEDB8_8320 }
        }
        return ~remainder
    }
}
