import COpenSSL

/// Checks signatures over a digest: RSA and ECDSA.
///
/// Algorithms, padding and salt length are set once. A check is one digest and one public key operation, with buffers
/// on the stack.
@safe final class DigestVerification: @unchecked Sendable {
    // SAFETY: leased to one caller at a time by `VerificationKey`, which takes it from its list under a lock and puts
    // it back after use.
    private let form: Form
    private let digest: LibraryDigest
    private let digestByteCount: Int
    private let digestContext: DigestContext
    private let keyContext: KeyContext

    enum Form: Sendable {
        case rsa(RSAPadding)
        case ecdsa
    }

    /// Prepares checks with one key. Nil if the cryptographic library failed.
    init?(_ key: LibraryKey, digest algorithm: DigestAlgorithm, form: Form) {
        guard let digest = LibraryDigest.fetched(algorithm), let digestContext = DigestContext(),
            let keyContext = KeyContext(key),
            Self.configure(keyContext, digest: digest, digestByteCount: algorithm.byteCount, form: form)
        else { return nil }
        self.form = form
        self.digest = digest
        digestByteCount = algorithm.byteCount
        self.digestContext = digestContext
        self.keyContext = keyContext
    }

    private static func configure(
        _ context: borrowing KeyContext, digest: LibraryDigest, digestByteCount: Int, form: Form
    ) -> Bool {
        let (context, digest) = unsafe (context.pointer, digest.implementation)
        guard unsafe EVP_PKEY_verify_init(context) == 1 else { return false }
        if case .rsa(let padding) = form {
            let number = padding == .pss ? RSA_PKCS1_PSS_PADDING : RSA_PKCS1_PADDING
            guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, number) == 1 else { return false }
        }
        guard unsafe EVP_PKEY_CTX_set_signature_md(context, digest) == 1 else { return false }
        guard case .rsa(.pss) = form else { return true }
        // RFC 7518 §3.5: MGF1 with the same digest, the salt exactly as long as the digest. By default the library
        // accepts any salt.
        return unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1
            && EVP_PKEY_CTX_set_rsa_pss_saltlen(context, Int32(truncatingIfNeeded: digestByteCount)) == 1
    }

    /// - Parameter tabled: the key's table for ECDSA, if it has one. Nil for a key that can have none.
    func verify(signature: Span<UInt8>, signingInput: Span<UInt8>, tabled: TabledKey?) -> SignatureVerdict {
        var digestBytes = InlineArray<64, UInt8>(repeating: 0)
        guard takeDigest(of: signingInput, into: &digestBytes) else {
            LibraryErrors.clear()
            return .unavailable
        }
        let digest = digestBytes.span.extracting(first: digestByteCount)
        guard case .ecdsa = form else { return check(signature, over: digest) }
        return tabled?.verify(signature: signature, digest: digest) { checkECDSA(signature, over: digest) }
            ?? checkECDSA(signature, over: digest)
    }

    private func checkECDSA(_ signature: Span<UInt8>, over digest: Span<UInt8>) -> SignatureVerdict {
        let encoding = ECDSASignatureEncoding(signature)
        return check(encoding.bytes.span.extracting(first: encoding.count), over: digest)
    }

    private func takeDigest(of input: Span<UInt8>, into digestBytes: inout InlineArray<64, UInt8>) -> Bool {
        var output = digestBytes.mutableSpan
        return unsafe output.withUnsafeMutableBufferPointer { output in
            unsafe input.withUnsafeBytes { input in
                unsafe EVP_DigestInit_ex2(digestContext.pointer, digest.implementation, nil) == 1
                    && EVP_DigestUpdate(digestContext.pointer, input.baseAddress, input.count) == 1
                    && EVP_DigestFinal_ex(digestContext.pointer, output.baseAddress, nil) == 1
            }
        }
    }

    private func check(_ signature: Span<UInt8>, over digest: Span<UInt8>) -> SignatureVerdict {
        let result = unsafe signature.withUnsafeBufferPointer { signature in
            unsafe digest.withUnsafeBufferPointer { digest in
                unsafe EVP_PKEY_verify(
                    keyContext.pointer, signature.baseAddress, signature.count, digest.baseAddress, digest.count)
            }
        }
        return LibraryErrors.verdict(result: result)
    }
}

/// Signature check for one key and one algorithm. Prepared once, then used by one thread at a time.
struct PreparedVerification: Sendable {
    let algorithm: SignatureAlgorithm
    private let check: Check

    private enum Check: Sendable {
        case digest(DigestVerification)
        case edwards(EdwardsVerification)
    }

    /// Prepares the check. Nil if the cryptographic library failed.
    init?(_ algorithm: SignatureAlgorithm, key: LibraryKey) {
        defer { LibraryErrors.clear() }
        guard let check = Self.check(algorithm.scheme, key: key) else { return nil }
        self.algorithm = algorithm
        self.check = check
    }

    private static func check(_ scheme: SignatureScheme, key: LibraryKey) -> Check? {
        switch scheme {
        case .rsa(let digest, let padding):
            DigestVerification(key, digest: digest, form: .rsa(padding)).map(Check.digest)
        case .ecdsa(let digest, _): DigestVerification(key, digest: digest, form: .ecdsa).map(Check.digest)
        case .edwards: EdwardsVerification(key).map(Check.edwards)
        }
    }

    /// Checks a signature. The caller must have checked its length.
    ///
    /// - Parameter tabled: the key's table for ECDSA, if it has one. Nil for a key that can have none.
    func verify(signature: Span<UInt8>, signingInput: Span<UInt8>, tabled: TabledKey?) -> SignatureVerdict {
        switch check {
        case .digest(let check): check.verify(signature: signature, signingInput: signingInput, tabled: tabled)
        case .edwards(let check): check.verify(signature: signature, signingInput: signingInput)
        }
    }
}

/// Owner of a libcrypto digest context.
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

/// Owner of a libcrypto context for operations with one key.
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
