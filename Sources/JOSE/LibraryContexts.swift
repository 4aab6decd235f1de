import COpenSSL

/// A libcrypto digest context.
@safe struct DigestContext: ~Copyable {
    let pointer: OpaquePointer

    init?() {
        guard let made = unsafe EVP_MD_CTX_new() else { return nil }
        unsafe pointer = made
    }

    deinit {
        unsafe EVP_MD_CTX_free(pointer)
    }
}

/// A libcrypto context for operations with one key.
@safe struct KeyContext: ~Copyable {
    let pointer: OpaquePointer

    init?(_ key: LibraryKey) {
        guard let made = unsafe EVP_PKEY_CTX_new_from_pkey(nil, key.pointer, nil) else { return nil }
        unsafe pointer = made
    }

    deinit {
        unsafe EVP_PKEY_CTX_free(pointer)
    }
}
