import JOSE

/// Signature of a sample.
public enum SampleSigning: Sendable, Hashable {
    /// Signed with this key. It is the right one unless the sample tests the choice of keys.
    case key(SampleKeyName)
    /// Signed with this key, but one byte of the signature is modified.
    case tampered(SampleKeyName)
    /// No signature: the third part is empty (RFC 7515 appendix A.5).
    case unsigned
    /// HMAC with SHA-256 and this secret (RFC 7518 §3.2).
    case hmac(secret: String)
}

/// Name of a signing key: its `kid` and the algorithm it is generated for.
public struct SampleKeyName: Sendable, Hashable {
    public let keyID: String
    public let algorithm: SignatureAlgorithm

    public init(_ keyID: String, _ algorithm: SignatureAlgorithm) {
        self.keyID = keyID
        self.algorithm = algorithm
    }
}
