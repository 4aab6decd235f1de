/// Digest that replaces a token wherever the token itself must not be kept: SHA-256 over a secret of this process and
/// the token's bytes (FIPS 180-4).
///
/// Equal tokens have equal digests, and nobody can find two others that do. It means nothing to another process.
public struct TokenDigest: Sendable, Hashable {
    // Four words rather than an array: nothing is allocated, and comparing is four instructions.
    package let first: UInt64
    package let second: UInt64
    let third: UInt64
    let fourth: UInt64

    init(words: InlineArray<4, UInt64>) {
        // in bounds: four words, by their type
        first = words[0]
        second = words[1]
        third = words[2]
        fourth = words[3]
    }

    /// One word is enough: without the secret no one can choose tokens whose words collide.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }

    /// The digest in the order of FIPS 180-4.
    var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { index in
                UInt8(truncatingIfNeeded: UInt64(bigEndian: word) &>> UInt64(truncatingIfNeeded: 56 &- 8 &* index))
            }
        }
    }
}
