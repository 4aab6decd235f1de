/// 128 bits as 32 hexadecimal ASCII digits, for writing into a head.
public struct HexadecimalDigits {
    private let digits: InlineArray<32, UInt8>

    public init(_ high: UInt64, _ low: UInt64) {
        let words: InlineArray<4, UInt64> = [
            Self.word(high &>> 32), Self.word(high & 0xFFFF_FFFF), Self.word(low &>> 32), Self.word(low & 0xFFFF_FFFF),
        ]
        // SAFETY: both are 32 bytes without padding.
        digits = unsafe unsafeBitCast(words, to: InlineArray<32, UInt8>.self)
    }

    @inline(__always)
    public func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(digits.span) }

    public func append(to bytes: inout [UInt8]) {
        unsafe digits.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// Eight digits of 32 bits, in the memory of a word, all computed at once.
    private static func word(_ bits: UInt64) -> UInt64 {
        // Each step moves the upper half of every group of bits further up, until each byte has four bits.
        var nibbles = (bits | bits &<< 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles &<< 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles | nibbles &<< 4) & 0x0F0F_0F0F_0F0F_0F0F
        // 1 in each byte that is above 9, and so a letter.
        let letters = (nibbles &+ 0x0606_0606_0606_0606) &>> 4 & 0x0101_0101_0101_0101
        return (nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27).bigEndian
    }
}
