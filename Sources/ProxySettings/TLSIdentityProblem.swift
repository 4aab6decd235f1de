/// Reason why two files are not a certificate and its private key.
public enum TLSIdentityProblem: Error, Sendable, Hashable {
    case noCertificate
    case noKey
    case encryptedKey
    /// The key belongs to another certificate, or TLS does not use certificates of this kind.
    case keyOfAnotherCertificate
}
