/// Hash of short byte strings under a secret of this process.
///
/// Uses folded 128-bit multiplication, eight bytes at a time. It spreads well but is not a cryptographic digest. Input
/// from clients is never inserted into a table, so a guessed collision costs at most one comparison of bytes.
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
        // The count distinguishes a last word that begins with zero bytes from a shorter one.
        return fold(state ^ word, secret ^ UInt64(truncatingIfNeeded: bytes.count))
    }

    /// Combines a hash with a scope (a node). The low bits are the index of the first slot to inspect.
    static func combine(_ hash: UInt64, scope: Int32) -> UInt64 {
        fold(hash ^ UInt64(truncatingIfNeeded: scope), 0x9E37_79B9_7F4A_7C15)
    }

    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: right ^ 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}
