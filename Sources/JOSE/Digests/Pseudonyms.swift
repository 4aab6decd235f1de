import COpenSSL

/// Replaces texts that must not be stored by pseudonyms: their HMAC-SHA256 under a secret (RFC 2104), in hexadecimal.
///
/// Equal texts have equal pseudonyms, and different texts have different ones. Only a holder of the secret can find the
/// text of a pseudonym, by trying texts.
public struct Pseudonyms: Sendable {
    private let secret: [UInt8]

    /// Smallest length of a secret, in bytes.
    public static let shortestSecret = 16

    /// Creates pseudonyms under a given secret. Nil if the secret is shorter than ``shortestSecret``.
    public init?(secret: [UInt8]) {
        guard secret.count >= Self.shortestSecret else { return nil }
        self.secret = secret
    }

    /// Creates pseudonyms under a new random secret. Nil if the cryptographic library failed.
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

    /// The pseudonym of a text: 64 digits. Nil if the cryptographic library failed.
    public func pseudonym(of text: Span<UInt8>) -> [UInt8]? {
        SHA256.code(of: text, under: secret)?.hexadecimal
    }
}
