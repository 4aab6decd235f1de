/// Reason why no signing key could be made.
public enum SigningFailure: Error, Hashable, Sendable {
    /// An RSA modulus must have 1,024 to 16,384 bits; verification takes fewer.
    case rsaBitsOutOfRange
    /// The cryptographic library failed.
    case unavailable
}
