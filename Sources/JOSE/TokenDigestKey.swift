import COpenSSL
import Synchronization

/// The secret that tokens are digested under; made once in the life of a process, usable from any thread at once.
///
/// Under a secret nobody can prepare two tokens with one digest, and digests that leak say nothing about the tokens.
public final class TokenDigestKey: Sendable {
    private let template: PreparedTokenDigest
    /// Prepared contexts nobody is using; taken and given back, so that none is made per token.
    private let idle: Mutex<[PreparedTokenDigest]>

    /// Idle contexts kept, far above the threads that digest at once.
    private static let mostIdle = 64

    /// A new random secret of 256 bits; nil if the library failed, or cannot use a prepared context twice (OpenSSL before 3.0.2).
    public convenience init?() {
        var secret = InlineArray<32, UInt8>(repeating: 0)
        var bytes = secret.mutableSpan
        let isFilled = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_priv_bytes(buffer.baseAddress, Int32(buffer.count)) == 1
        }
        defer { unsafe bytes.withUnsafeMutableBufferPointer { buffer in unsafe OPENSSL_cleanse(buffer.baseAddress, buffer.count) } }
        guard isFilled else {
            LibraryErrors.clear()
            return nil
        }
        self.init(secret: bytes.span)
    }

    /// A given secret, for tests against published vectors.
    init?(secret: Span<UInt8>) {
        defer { LibraryErrors.clear() }
        guard let template = PreparedTokenDigest(secret: secret), let first = PreparedTokenDigest(copying: template),
            first.givesEqualDigestsTwice()
        else { return nil }
        self.template = template
        idle = Mutex([first])
    }

    /// The token's digest; nil if the library failed (no memory).
    public func digest(of token: Span<UInt8>) -> TokenDigest? {
        guard let prepared = takeIdle() ?? PreparedTokenDigest(copying: template), let digest = prepared.digest(of: token) else {
            LibraryErrors.clear()
            return nil
        }
        giveBack(prepared)
        return digest
    }

    private func takeIdle() -> PreparedTokenDigest? {
        idle.withLock { idle in idle.popLast() }
    }

    private func giveBack(_ prepared: PreparedTokenDigest) {
        idle.withLock { idle in
            if idle.count < Self.mostIdle { idle.append(prepared) }
        }
    }
}
