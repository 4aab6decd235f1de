import COpenSSL

/// libcrypto's implementation of HMAC, fetched once in the life of the process.
@safe struct LibraryMAC: @unchecked Sendable {
    // SAFETY: an EVP_MAC is immutable and counted by the library; this one is never given back.
    let implementation: OpaquePointer

    private init?(_ name: String) {
        guard let fetched = unsafe EVP_MAC_fetch(nil, name, nil) else {
            LibraryErrors.clear()
            return nil
        }
        unsafe implementation = fetched
    }

    /// Nil only if the library has no HMAC, which no build of it lacks.
    static let hmac = LibraryMAC("HMAC")
}
