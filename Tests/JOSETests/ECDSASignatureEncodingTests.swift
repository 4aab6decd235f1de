import Testing

@testable import JOSE

struct ECDSASignatureEncodingTests {
    private static func encoded(_ r: [UInt8], _ s: [UInt8]) -> [UInt8] {
        let encoding = ECDSASignatureEncoding((r + s).span)
        return (0..<encoding.count).map { index in encoding.bytes[index] }
    }

    @Test(
        arguments: [
            ([0x01, 0x02], [0x03, 0x04], [0x30, 8, 2, 2, 0x01, 0x02, 2, 2, 0x03, 0x04]),
            ([0x00, 0x02], [0x00, 0x00], [0x30, 6, 2, 1, 0x02, 2, 1, 0x00]),
            ([0x80, 0x00], [0x00, 0x80], [0x30, 9, 2, 3, 0x00, 0x80, 0x00, 2, 2, 0x00, 0x80]),
            ([0xFF, 0xFF], [0x7F, 0xFF], [0x30, 9, 2, 3, 0x00, 0xFF, 0xFF, 2, 2, 0x7F, 0xFF]),
        ] as [([UInt8], [UInt8], [UInt8])])
    func `the integers of an ECDSA signature are minimal and never negative in DER`(
        r: [UInt8], s: [UInt8], expected: [UInt8]
    ) {
        #expect(Self.encoded(r, s) == expected)
    }

    @Test func `the longest ECDSA signature is encoded with a long-form length`() {
        let ones = [UInt8](repeating: 0xFF, count: 66)
        let expected = [0x30, 0x81, 138, 2, 67, 0] + ones + [2, 67, 0] + ones
        #expect(Self.encoded(ones, ones) == expected)
    }

    @Test func `an ECDSA signature of an impossible length is encoded as nothing`() {
        #expect(ECDSASignatureEncoding([UInt8]().span).count == 0)
        #expect(ECDSASignatureEncoding([UInt8](repeating: 1, count: 134).span).count == 0)
    }
}
