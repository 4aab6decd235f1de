/// Why two files are not a certificate and its key.
public enum TLSIdentityProblem: Error, Sendable, Hashable {
    case noCertificate
    case noKey
    case encryptedKey
    /// Or a certificate of a kind that TLS does not use.
    case keyOfAnotherCertificate
}
