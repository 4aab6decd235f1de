import COpenSSL

/// Stands for texts that must not be kept: HMAC-SHA256 of them under a secret (RFC 2104), in hexadecimal.
///
/// Equal for equal texts, and for no others. Only a holder of the secret can find the text, by trial.
public struct Pseudonyms: Sendable {
    private let secret: [UInt8]

    /// The shortest secret, in bytes.
    public static let shortestSecret = 16

    /// Nil if the secret is shorter than ``shortestSecret``.
    public init?(secret: [UInt8]) {
        guard secret.count >= Self.shortestSecret else { return nil }
        self.secret = secret
    }

    /// Under a secret of its own; nil if the library failed.
    public init?() {
        var secret = [UInt8](repeating: 0, count: 32)
        let isFilled = unsafe secret.withUnsafeMutableBufferPointer { buffer in
            unsafe RAND_priv_bytes(buffer.baseAddress, Int32(truncatingIfNeeded: buffer.count)) == 1
        }
        guard isFilled else {
            LibraryErrors.clear()
            return nil
        }
        self.secret = secret
    }

    /// 64 digits; nil if the library failed.
    public func pseudonym(of text: Span<UInt8>) -> [UInt8]? {
        SHA256.code(of: text, under: secret)?.hexadecimal
    }
}
