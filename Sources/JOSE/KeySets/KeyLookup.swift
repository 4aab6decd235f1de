/// Result of looking for a key by key ID and algorithm.
public enum KeyLookup: Sendable {
    /// The key, and the one algorithm that the header's name stands for with it.
    case found(VerificationKey, SignatureAlgorithm)
    case unknownKeyID
    /// The key ID is known, but no key of that ID may be used with the algorithm.
    case notForAlgorithm
}
