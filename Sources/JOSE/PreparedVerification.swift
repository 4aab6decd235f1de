/// A signature check for one key and one algorithm, made ready once and then used by one thread at a time.
struct PreparedVerification: Sendable {
    let algorithm: SignatureAlgorithm
    private let check: Check

    private enum Check: Sendable {
        case digest(DigestVerification)
        case edwards(EdwardsVerification)
    }

    /// Nil if the library failed.
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

    /// Lengths have been checked by the caller.
    func verify(signature: Span<UInt8>, signingInput: Span<UInt8>) -> SignatureVerdict {
        switch check {
        case .digest(let check): check.verify(signature: signature, signingInput: signingInput)
        case .edwards(let check): check.verify(signature: signature, signingInput: signingInput)
        }
    }
}
