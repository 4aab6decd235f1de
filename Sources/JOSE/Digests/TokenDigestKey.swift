import COpenSSL

/// The secret that tokens are digested under; made once in the life of a process, usable from any thread at once.
///
/// A digest is SHA-256 over one block of 64 bytes, which holds the secret and is absorbed here once, followed by the
/// token. Under a secret nobody can prepare two tokens with one digest, and digests that leak say nothing about the
/// tokens. HMAC would cost two blocks more, and what they prevent cannot happen here: extending a token whose digest is
/// known needs a digest, and none ever leaves the process.
public final class TokenDigestKey: Sendable {
    /// SHA-256 with the secret's block in it; only ever copied.
    private let begun: SHA256_CTX

    /// The bytes of a secret.
    static let secretCount = 32

    /// A new random secret of 256 bits; nil if the library failed.
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

    /// The secret that every process derives from the same bytes, for digests that processes compare; nil if the
    /// library failed.
    public convenience init?(derivedFrom bytes: [UInt8]) {
        var text = Array("digest key".utf8)
        text.append(contentsOf: bytes)
        guard let secret = SHA256.digest(of: text.span) else { return nil }
        self.init(secret: secret.span)
    }

    /// A given secret of 32 bytes, for tests against vectors; nil if it has another length.
    init?(secret: Span<UInt8>) {
        guard secret.count == Self.secretCount, let begun = Self.begin(with: secret) else { return nil }
        self.begun = begun
    }

    /// SHA-256 that has taken in the secret and as many zeros: a whole block, so that the work on it is not repeated
    /// per token.
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

    /// The token's digest; nil if the library failed. Allocates nothing and takes no lock.
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
