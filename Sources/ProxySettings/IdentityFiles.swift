/// Paths of a PEM certificate, with its chain, and of its private key.
public struct IdentityFiles: Sendable, Hashable {
    /// Largest certificate or key file that is read, in bytes: many times the size of the longest chains.
    public static let longest = 1 << 20

    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
