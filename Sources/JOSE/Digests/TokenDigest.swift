/// Digest that is stored instead of a token: SHA-256 over a secret of this process and the token's bytes (FIPS 180-4).
///
/// Equal tokens have equal digests. To find two different tokens with equal digests is infeasible. A digest is useless
/// to another process.
public struct TokenDigest: Sendable, Hashable {
    // Four words instead of an array: nothing is allocated, and a comparison takes four instructions.
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

    /// Hashes only the first word. Without the secret, clients cannot choose tokens whose first words collide.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(first)
    }

    /// The 32 bytes of the digest, in the order of FIPS 180-4.
    var bytes: [UInt8] {
        [first, second, third, fourth].flatMap { word in
            (0..<8).map { index in
                UInt8(truncatingIfNeeded: UInt64(bigEndian: word) &>> UInt64(truncatingIfNeeded: 56 &- 8 &* index))
            }
        }
    }
}
