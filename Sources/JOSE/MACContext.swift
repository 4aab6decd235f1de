import COpenSSL

/// A libcrypto context for message authentication codes.
@safe struct MACContext: ~Copyable {
    let pointer: OpaquePointer

    /// An HMAC context without a secret; nil if the library failed.
    init?() {
        guard let hmac = LibraryMAC.hmac, let made = unsafe EVP_MAC_CTX_new(hmac.implementation) else { return nil }
        unsafe pointer = made
    }

    /// Another context in the same state; nil if the library failed.
    init?(copying other: borrowing MACContext) {
        guard let made = unsafe EVP_MAC_CTX_dup(other.pointer) else { return nil }
        unsafe pointer = made
    }

    deinit {
        unsafe EVP_MAC_CTX_free(pointer)
    }
}
