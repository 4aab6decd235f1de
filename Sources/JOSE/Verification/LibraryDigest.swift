import COpenSSL

/// Implementation of a digest in libcrypto, fetched once in a process.
@safe struct LibraryDigest: @unchecked Sendable {
    // SAFETY: an EVP_MD is immutable and reference-counted by the library; these are never freed.
    let implementation: OpaquePointer

    private init?(_ digest: DigestAlgorithm) {
        guard let fetched = unsafe EVP_MD_fetch(nil, digest.rawValue, nil) else {
            LibraryErrors.clear()
            return nil
        }
        unsafe implementation = fetched
    }

    /// The implementation of a digest. Nil only if the library does not have it; every known build does.
    static func fetched(_ digest: DigestAlgorithm) -> LibraryDigest? {
        switch digest {
        case .sha256: sha256
        case .sha384: sha384
        case .sha512: sha512
        }
    }

    private static let sha256 = LibraryDigest(.sha256)
    private static let sha384 = LibraryDigest(.sha384)
    private static let sha512 = LibraryDigest(.sha512)

    /// The digest of the bytes. Nil if the cryptographic library failed.
    static func digest(_ bytes: Span<UInt8>, with digest: DigestAlgorithm) -> [UInt8]? {
        guard let fetched = fetched(digest) else { return nil }
        var output = [UInt8](repeating: 0, count: digest.byteCount)
        let result = unsafe bytes.withUnsafeBytes { input in
            unsafe output.withUnsafeMutableBufferPointer { buffer in
                unsafe EVP_Digest(input.baseAddress, input.count, buffer.baseAddress, nil, fetched.implementation, nil)
            }
        }
        LibraryErrors.clear()
        return result == 1 ? output : nil
    }
}
