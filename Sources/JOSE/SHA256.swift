/// SHA-256 (FIPS 180-4), for names and thumbprints.
public enum SHA256 {
    /// The digest, 32 bytes; nil only if the cryptographic library failed.
    public static func digest(of bytes: Span<UInt8>) -> [UInt8]? {
        LibraryDigest.digest(bytes, with: .sha256)
    }

    /// The digest in lower-case hexadecimal, 64 digits; nil only if the cryptographic library failed.
    public static func hexadecimal(of text: String) -> String? {
        let bytes = Array(text.utf8)
        guard let digest = digest(of: bytes.span) else { return nil }
        return String(decoding: digest.hexadecimal, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Two lower-case digits for each byte.
    var hexadecimal: [UInt8] {
        let digits = Array("0123456789abcdef".utf8)
        return flatMap { byte in [digits[Int(byte >> 4)], digits[Int(byte & 15)]] }
    }
}
