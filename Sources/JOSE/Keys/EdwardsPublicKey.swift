/// Rejects Edwards public keys for which anyone can make signatures, and encodings that RFC 8032 §5.1.3 and §5.2.3 do
/// not allow.
///
/// Does not check that the point is on the curve. If it is not, no signature verifies.
enum EdwardsPublicKey {
    static func check(_ encoded: [UInt8], curve: Curve) throws(JSONWebKeyRejection) {
        let y = ordinate(of: encoded)
        let prime = curve == .ed448 ? ed448Prime : ed25519Prime
        guard isLess(y, than: prime) else { throw .pointInvalid }
        let smallOrder = curve == .ed448 ? ed448SmallOrder : ed25519SmallOrder
        if smallOrder.contains(y) { throw .pointOfSmallOrder }
    }

    /// The y coordinate, little-endian as encoded, without the sign of x in the last byte's highest bit.
    private static func ordinate(of encoded: [UInt8]) -> [UInt8] {
        var y = encoded
        if let last = y.popLast() { y.append(last & 0x7F) }
        return y
    }

    private static func isLess(_ left: [UInt8], than right: [UInt8]) -> Bool {
        left.reversed().lexicographicallyPrecedes(right.reversed())
    }

    private static func littleEndian(_ low: [UInt8], fill: UInt8, last: UInt8, count: Int) -> [UInt8] {
        Array([low, [UInt8](repeating: fill, count: count &- low.count &- 1), [last]].joined())
    }

    /// Prime of the field of Ed25519, 2^255 - 19.
    private static let ed25519Prime = littleEndian([0xED], fill: 0xFF, last: 0x7F, count: 32)

    /// Prime of the field of Ed448, 2^448 - 2^224 - 1.
    private static let ed448Prime =
        [UInt8](repeating: 0xFF, count: 28) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0]

    /// y coordinates of the eight points whose order divides eight: 1, -1, 0, and the two of order eight.
    private static let ed25519SmallOrder: Set<[UInt8]> = [
        littleEndian([1], fill: 0, last: 0, count: 32),
        littleEndian([0xEC], fill: 0xFF, last: 0x7F, count: 32),
        littleEndian([0], fill: 0, last: 0, count: 32),
        [
            0x26, 0xE8, 0x95, 0x8F, 0xC2, 0xB2, 0x27, 0xB0, 0x45, 0xC3, 0xF4, 0x89, 0xF2, 0xEF, 0x98, 0xF0,
            0xD5, 0xDF, 0xAC, 0x05, 0xD3, 0xC6, 0x33, 0x39, 0xB1, 0x38, 0x02, 0x88, 0x6D, 0x53, 0xFC, 0x05,
        ],
        [
            0xC7, 0x17, 0x6A, 0x70, 0x3D, 0x4D, 0xD8, 0x4F, 0xBA, 0x3C, 0x0B, 0x76, 0x0D, 0x10, 0x67, 0x0F,
            0x2A, 0x20, 0x53, 0xFA, 0x2C, 0x39, 0xCC, 0xC6, 0x4E, 0xC7, 0xFD, 0x77, 0x92, 0xAC, 0x03, 0x7A,
        ],
    ]

    /// y coordinates of the four points whose order divides four: 1, -1, 0.
    private static let ed448SmallOrder: Set<[UInt8]> = [
        [1] + [UInt8](repeating: 0, count: 56),
        [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0xFE] + [UInt8](repeating: 0xFF, count: 27) + [0],
        [UInt8](repeating: 0, count: 57),
    ]
}
