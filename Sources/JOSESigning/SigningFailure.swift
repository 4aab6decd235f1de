/// Reason why a signing key could not be made.
public enum SigningFailure: Error, Hashable, Sendable {
    /// The RSA modulus must have 1,024 to 16,384 bits. Verification accepts a narrower range.
    case rsaBitsOutOfRange
    /// The cryptographic library failed.
    case unavailable
}
