/// A hash of short byte strings under a secret of this process.
///
/// Folded 128-bit multiplication over eight bytes at a time. It spreads well and is not a cryptographic digest: nothing
/// that a client sends is ever inserted into a table, so the worst a guessed collision could cost is one comparison of
/// bytes.
enum KeyedHash {
    static let secret = UInt64.random(in: UInt64.min...UInt64.max) | 1

    static func hash(_ bytes: Span<UInt8>, secret: UInt64) -> UInt64 {
        var state = secret
        var word: UInt64 = 0
        for index in bytes.indices {
            word = word << 8 | UInt64(bytes[index])
            if index & 7 == 7 {
                state = fold(state ^ word, secret)
                word = 0
            }
        }
        // The count separates a last word that begins with zero bytes from a shorter one.
        return fold(state ^ word, secret ^ UInt64(truncatingIfNeeded: bytes.count))
    }

    /// The slot at which the search for an entry of `scope` with this hash begins.
    static func combine(_ hash: UInt64, scope: Int32) -> UInt64 {
        fold(hash ^ UInt64(truncatingIfNeeded: scope), 0x9E37_79B9_7F4A_7C15)
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: right ^ 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}
