/// The paths of a certificate in PEM, with its chain, and of its key.
public struct IdentityFiles: Sendable, Hashable {
    /// The longest file of certificates or of a key that is read, in bytes: many times the size of the longest chains.
    public static let longest = 1 << 20

    public let certificate: String
    public let key: String

    public init(certificate: String, key: String) {
        self.certificate = certificate
        self.key = key
    }
}
