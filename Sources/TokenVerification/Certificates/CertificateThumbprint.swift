import JOSE

/// SHA-256 of a certificate in DER: what `x5t#S256` says (RFC 7515 §4.1.8, RFC 8705 §3.1).
public struct CertificateThumbprint: Sendable, Hashable {
    /// 32 bytes.
    public let bytes: [UInt8]

    /// - Parameter certificate: its encoding in DER. Nil only if the cryptographic library failed.
    public init?(ofCertificate certificate: [UInt8]) {
        guard let digest = SHA256.digest(of: certificate.span) else { return nil }
        bytes = digest
    }

    /// The thumbprint as tokens have it: Base64url without padding.
    public var text: String { Base64URL.encode(bytes) }
}
