/// 128 bits as 32 hexadecimal ASCII digits, for writing into a head.
public struct HexadecimalDigits {
    private let digits: InlineArray<32, UInt8>

    public init(_ high: UInt64, _ low: UInt64) {
        let halves: InlineArray<2, SIMD16<UInt8>> = [Self.sixteen(high), Self.sixteen(low)]
        // SAFETY: both are 32 bytes without padding.
        digits = unsafe unsafeBitCast(halves, to: InlineArray<32, UInt8>.self)
    }

    @inline(__always)
    public func withSpan<Result>(_ body: (Span<UInt8>) -> Result) -> Result { body(digits.span) }

    public func append(to bytes: inout [UInt8]) {
        unsafe digits.span.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }

    /// The digits of 64 bits, all computed at once.
    @inlinable
    @inline(__always)
    public static func sixteen(_ bits: UInt64) -> SIMD16<UInt8> {
        // SAFETY: both are eight bytes without padding.
        let bytes = unsafe unsafeBitCast(bits.bigEndian, to: SIMD8<UInt8>.self)
        var nibbles = SIMD16<UInt8>()
        nibbles.evenHalf = bytes &>> 4
        nibbles.oddHalf = bytes & 0x0F
        // 1 for each that is above 9, and so a letter.
        let letters = (nibbles &+ 6) &>> 4
        return nibbles &+ 0x30 &+ ((0 &- letters) & 0x27)
    }
}
