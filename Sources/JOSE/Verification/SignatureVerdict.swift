/// The outcome of one signature check.
public enum SignatureVerdict: Sendable, Hashable {
    case valid
    case invalid
    /// The cryptographic library failed; says nothing about the signature, and must never be answered as a bad one.
    case unavailable
}
