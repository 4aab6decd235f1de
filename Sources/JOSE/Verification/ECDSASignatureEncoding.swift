/// ECDSA signature in DER (RFC 3279 §2.2.3), the form that libcrypto takes. Made from JOSE's r‖s (RFC 7518 §3.4)
/// without allocations.
struct ECDSASignatureEncoding: Sendable {
    /// Bytes of the encoding. The capacity is enough for P-521: a sequence header of three bytes, then two numbers of
    /// 66 bytes, each with a tag, a length and a zero byte.
    private(set) var bytes = InlineArray<144, UInt8>(repeating: 0)
    private(set) var count = 0

    /// Encodes two numbers of at most 66 bytes each. Libcrypto checks their values.
    init(_ signature: Span<UInt8>) {
        let half = signature.count / 2
        guard half > 0, half <= 66 else { return }
        let r = Number(signature, from: 0, to: half)
        let s = Number(signature, from: half, to: 2 &* half)
        appendHeader(contentCount: r.encodedCount &+ s.encodedCount)
        append(r, of: signature)
        append(s, of: signature)
    }

    private mutating func appendHeader(contentCount: Int) {
        append(0x30)
        // Lengths from 128 on have the long form (X.690 §8.1.3.5).
        if contentCount >= 128 { append(0x81) }
        append(UInt8(truncatingIfNeeded: contentCount))
    }

    private mutating func append(_ number: Number, of signature: Span<UInt8>) {
        append(0x02)
        append(UInt8(truncatingIfNeeded: number.valueCount))
        if number.needsZero { append(0) }
        for index in number.start..<number.end { append(signature[index]) }
    }

    private mutating func append(_ byte: UInt8) {
        // in bounds: the capacity holds two numbers of 66 bytes with their headers
        bytes[count] = byte
        count &+= 1
    }

    /// Range of one unsigned number, without the leading zeros that DER forbids (X.690 §8.3.2). Zero itself keeps one
    /// byte.
    private struct Number {
        let start: Int
        let end: Int
        let needsZero: Bool

        init(_ bytes: Span<UInt8>, from first: Int, to end: Int) {
            var start = first
            while start &+ 1 < end, bytes[start] == 0 { start &+= 1 }
            self.start = start
            self.end = end
            needsZero = bytes[start] >= 0x80
        }

        var valueCount: Int { end &- start &+ (needsZero ? 1 : 0) }
        var encodedCount: Int { valueCount &+ 2 }
    }
}
