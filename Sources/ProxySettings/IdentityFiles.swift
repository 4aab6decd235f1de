/// The paths of a certificate in PEM, with its chain, and of its key.
public struct IdentityFiles: Sendable, Hashable {
    /// The longest file of certificates or of a key that is read, in bytes: the longest chains, many times over.
    public static let longest = 1 << 20

    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
