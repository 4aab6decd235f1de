/// The outcome of one signature check.
public enum SignatureVerdict: Sendable, Hashable {
    case valid
    case invalid
    /// The cryptographic library failed. This says nothing about the signature, and must never be answered as an
    /// invalid signature.
    case unavailable
}
