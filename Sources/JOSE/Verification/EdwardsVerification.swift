import COpenSSL

/// Checks signatures over the message itself: Ed25519 and Ed448 (RFC 8032).
@safe final class EdwardsVerification: @unchecked Sendable {
    // SAFETY: leased to one caller at a time by `VerificationKey`, which takes it from its list under a lock and puts
    // it back after use.
    private let key: LibraryKey
    private let context: DigestContext

    /// Prepares checks with one key. Nil if the cryptographic library failed.
    init?(_ key: LibraryKey) {
        guard let context = DigestContext(), Self.begin(context, key: key) else { return nil }
        self.key = key
        self.context = context
    }

    func verify(signature: Span<UInt8>, signingInput: Span<UInt8>) -> SignatureVerdict {
        guard rewind() else {
            LibraryErrors.clear()
            return .unavailable
        }
        let result = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe signingInput.withUnsafeBufferPointer { input in
                unsafe EVP_DigestVerify(
                    context.pointer, signature.baseAddress, signature.count, input.baseAddress, input.count)
            }
        }
        return LibraryErrors.verdict(result: result)
    }

    /// Resets the context for the next message. An initialisation without a key reuses the context. A few releases of
    /// the library do not support that, and get a full initialisation.
    private func rewind() -> Bool {
        if unsafe EVP_DigestVerifyInit_ex(context.pointer, nil, nil, nil, nil, nil, nil) == 1 { return true }
        return unsafe EVP_MD_CTX_reset(context.pointer) == 1 && Self.begin(context, key: key)
    }

    private static func begin(_ context: borrowing DigestContext, key: LibraryKey) -> Bool {
        unsafe EVP_DigestVerifyInit_ex(context.pointer, nil, nil, nil, nil, key.pointer, nil) == 1
    }
}
