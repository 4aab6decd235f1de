import JOSE

/// SHA-256 of a certificate in DER: the value of `x5t#S256` (RFC 7515 §4.1.8, RFC 8705 §3.1).
public struct CertificateThumbprint: Sendable, Hashable {
    /// The digest, 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter certificate: the certificate in DER. The result is nil only if the cryptographic library failed.
    public init?(ofCertificate certificate: [UInt8]) {
        guard let digest = SHA256.digest(of: certificate.span) else { return nil }
        bytes = digest
    }

    /// The thumbprint in base64url without padding, as in tokens.
    public var text: String { Base64URL.encode(bytes) }
}
