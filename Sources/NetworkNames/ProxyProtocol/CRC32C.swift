/// The checksum of SCTP and of PROXY protocol blocks (RFC 9260 Appendix A). It finds damage, and proves nothing about a
/// sender.
enum CRC32C {
    /// - Parameter zeros: bytes that count as zero, since the checksum itself stands there.
    static func checksum(of bytes: Span<UInt8>, withoutBytesIn zeros: Range<Int>) -> UInt32 {
        var remainder = UInt32.max
        for index in bytes.indices {
            remainder ^= zeros.contains(index) ? 0 : UInt32(bytes[index])
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ polynomial : remainder >> 1 }
        }
        return ~remainder
    }

    /// The Castagnoli polynomial, its lowest power in the highest bit.
    private static let polynomial: UInt32 = 0x82F6_3B78
}
