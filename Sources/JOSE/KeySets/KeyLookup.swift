/// Result of looking for a key by key ID and algorithm.
public enum KeyLookup: Sendable {
    /// The key, and the one algorithm that the header's `alg` means for this key.
    case found(VerificationKey, SignatureAlgorithm)
    case unknownKeyID
    /// The set has keys with this ID, but none may be used with the algorithm.
    case notForAlgorithm
}
