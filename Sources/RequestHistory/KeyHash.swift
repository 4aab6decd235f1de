import ByteWords

/// Hash of short byte strings under a secret, so that clients cannot choose keys that collide.
///
/// Uses folded 128-bit multiplication, 16 bytes at a time. It spreads well over all 64 bits, but is not a cryptographic
/// digest: use it only where a client does not learn the hash.
public struct KeyHash: Sendable {
    private let secret: UInt64

    /// - Parameter secret: random bits. Only tests pass them.
    public init(secret: UInt64 = UInt64.random(in: UInt64.min...UInt64.max)) {
        self.secret = secret
    }

    /// - Parameter scope: a number that belongs to the key. Equal keys of different scopes have different hashes.
    public func callAsFunction(_ key: Span<UInt8>, scope: Int = 0) -> UInt64 {
        guard key.count >= Self.block else { return shortHash(key, scope) }
        var state = secret
        var offset = 0
        while let second = ByteWord(key, at: offset &+ ByteWord.byteCount) {
            state = add(ByteWord(key, at: offset, filler: 0), second, to: state)
            offset &+= Self.block
        }
        if offset < key.count {
            // The last block overlaps the one before.
            let last = key.count &- Self.block
            state = add(
                ByteWord(key, at: last, filler: 0), ByteWord(key, at: last &+ ByteWord.byteCount, filler: 0), to: state)
        }
        return end(state, key, scope)
    }

    /// Hash of a key that is shorter than a block: of its first and last eight bytes, or of all if it has fewer.
    private func shortHash(_ key: Span<UInt8>, _ scope: Int) -> UInt64 {
        let state =
            if let first = ByteWord(key, at: 0), let last = ByteWord(key, at: key.count &- ByteWord.byteCount) {
                add(first, last, to: secret)
            } else {
                add(ByteWord(key, at: 0, filler: 0), ByteWord(repeating: 0), to: secret)
            }
        return end(state, key, scope)
    }

    @inline(__always)
    private func end(_ state: UInt64, _ key: Span<UInt8>, _ scope: Int) -> UInt64 {
        // The count distinguishes a key that ends with zero bytes from a shorter one.
        return Self.fold(state ^ UInt64(truncatingIfNeeded: key.count), secret ^ UInt64(truncatingIfNeeded: scope))
    }

    /// Hash of a number of 128 bits, or of two numbers.
    public func callAsFunction(_ first: UInt64, _ second: UInt64) -> UInt64 {
        Self.fold(Self.fold(secret ^ first, secret ^ second), secret)
    }

    private static let block = 2 * ByteWord.byteCount

    @inline(__always)
    private func add(_ first: ByteWord, _ second: ByteWord, to state: UInt64) -> UInt64 {
        Self.fold(state ^ first.number, secret ^ second.number)
    }

    @inline(__always)
    private static func fold(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = (left ^ 0xA076_1D64_78BD_642F).multipliedFullWidth(by: right ^ 0xE703_7ED1_A0B4_28DB)
        return product.high ^ product.low
    }
}
