/// The checksum of SCTP and of PROXY protocol blocks (RFC 9260 Appendix A). It detects corruption but does not
/// authenticate a sender.
enum CRC32C {
    /// - Parameter zeros: the range of the checksum itself, whose bytes are treated as zero.
    static func checksum(of bytes: Span<UInt8>, withoutBytesIn zeros: Range<Int>) -> UInt32 {
        var remainder = UInt32.max
        for index in bytes.indices {
            remainder ^= zeros.contains(index) ? 0 : UInt32(bytes[index])
            for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ polynomial : remainder >> 1 }
        }
        return ~remainder
    }

    /// The Castagnoli polynomial in reversed bit order.
    private static let polynomial: UInt32 = 0x82F6_3B78
}
