import COpenSSL

/// Secret for the digests of tokens. Made once in a process, and usable from several threads at once.
///
/// A digest is SHA-256 over one block of 64 bytes with the secret, followed by the token. The block is hashed only
/// once, here. Without the secret it is infeasible to prepare two tokens with the same digest, and a leaked digest
/// reveals nothing about its token. HMAC would cost two more blocks. They prevent length extension, an attack that
/// needs a digest, and no digest ever leaves the process.
public final class TokenDigestKey: Sendable {
    /// SHA-256 state after the block with the secret. Each digest starts with a copy of it.
    private let begun: SHA256_CTX

    /// Length of a secret, in bytes.
    static let secretCount = 32

    /// Makes a new random secret of 256 bits. Nil if the cryptographic library failed.
    public convenience init?() {
        var secret = InlineArray<32, UInt8>(repeating: 0)
        var bytes = secret.mutableSpan
        let isFilled = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_priv_bytes(buffer.baseAddress, Int32(truncatingIfNeeded: buffer.count)) == 1
        }
        defer {
            unsafe bytes.withUnsafeMutableBufferPointer { buffer in
                unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            }
        }
        guard isFilled else {
            LibraryErrors.clear()
            return nil
        }
        self.init(secret: bytes.span)
    }

    /// Derives the secret from bytes that several processes share, so that they can compare digests. Nil if the
    /// cryptographic library failed.
    public convenience init?(derivedFrom bytes: [UInt8]) {
        var text = Array("digest key".utf8)
        text.append(contentsOf: bytes)
        guard let secret = SHA256.digest(of: text.span) else { return nil }
        self.init(secret: secret.span)
    }

    /// Takes a given secret of 32 bytes, for tests against vectors. Nil if it has another length.
    init?(secret: Span<UInt8>) {
        guard secret.count == Self.secretCount, let begun = Self.begin(with: secret) else { return nil }
        self.begun = begun
    }

    /// Returns the hash state after one whole block, the secret and 32 zeros, so that this work is not repeated for
    /// each token. Nil if the cryptographic library failed.
    private static func begin(with secret: Span<UInt8>) -> SHA256_CTX? {
        var block = InlineArray<64, UInt8>(repeating: 0)
        for index in secret.indices { block[index] = secret[index] }
        var bytes = block.mutableSpan
        var state = SHA256_CTX()
        return unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            let isBegun = unsafe bearward_sha256_begin(&state, buffer.baseAddress) == 1
            unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            return isBegun ? state : nil
        }
    }

    /// The token's digest. Nil if the cryptographic library failed. Allocates nothing and takes no lock.
    public func digest(of token: Span<UInt8>) -> TokenDigest? {
        var words = InlineArray<4, UInt64>(repeating: 0)
        var output = words.mutableSpan
        let isDone = unsafe output.withUnsafeMutableBytes { output in
            unsafe token.withUnsafeBufferPointer { token in
                unsafe bearward_sha256_finish(begun, token.baseAddress, token.count, output.baseAddress) == 1
            }
        }
        return isDone ? TokenDigest(words: words) : nil
    }
}
