import COpenSSL

/// SHA-256 (FIPS 180-4), for names and thumbprints.
public enum SHA256 {
    /// The digest, 32 bytes. Nil only if the cryptographic library failed.
    public static func digest(of bytes: Span<UInt8>) -> [UInt8]? {
        LibraryDigest.digest(bytes, with: .sha256)
    }

    /// The digest in lower-case hexadecimal, 64 digits. Nil only if the cryptographic library failed.
    public static func hexadecimal(of bytes: Span<UInt8>) -> String? {
        digest(of: bytes).map { String(decoding: $0.hexadecimal, as: UTF8.self) }
    }

    /// The digest of a text in lower-case hexadecimal, 64 digits. Nil only if the cryptographic library failed.
    public static func hexadecimal(of text: String) -> String? { hexadecimal(of: text.utf8.span) }

    /// HMAC of a text under a secret (RFC 2104), 32 bytes. Nil only if the cryptographic library failed.
    package static func code(of text: Span<UInt8>, under secret: [UInt8]) -> [UInt8]? {
        var code = [UInt8](repeating: 0, count: 32)
        let isDone = unsafe code.withUnsafeMutableBufferPointer { code in
            unsafe secret.withUnsafeBufferPointer { secret in
                unsafe text.withUnsafeBufferPointer { text in
                    unsafe HMAC(
                        EVP_sha256(), secret.baseAddress, Int32(truncatingIfNeeded: secret.count), text.baseAddress,
                        text.count,
                        code.baseAddress, nil) != nil
                }
            }
        }
        guard isDone else {
            LibraryErrors.clear()
            return nil
        }
        return code
    }
}

extension [UInt8] {
    /// The bytes in hexadecimal: two lower-case digits for each byte.
    var hexadecimal: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return flatMap { byte in [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    }
}
