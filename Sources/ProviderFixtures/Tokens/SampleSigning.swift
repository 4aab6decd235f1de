import JOSE

/// Signer of a sample, and the signature.
public enum SampleSigning: Sendable, Hashable {
    /// The key of that name; it is the right one unless the sample is about keys.
    case key(SampleKeyName)
    /// The key of that name, but one byte of the signature is changed.
    case tampered(SampleKeyName)
    /// Nobody: the third part is empty (RFC 7515 appendix A.5).
    case unsigned
    /// HMAC with SHA-256 under this secret (RFC 7518 §3.2).
    case hmac(secret: String)
}

/// A signing key: the `kid` alone does not say for which algorithm it is made.
public struct SampleKeyName: Sendable, Hashable {
    public let keyID: String
    public let algorithm: SignatureAlgorithm

    public init(_ keyID: String, _ algorithm: SignatureAlgorithm) {
        self.keyID = keyID
        self.algorithm = algorithm
    }
}
