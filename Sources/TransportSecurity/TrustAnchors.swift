import NIOSSL

/// CA certificates that a peer's chain must end in.
public struct TrustAnchors: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Reads certificates from PEM. Nil if there are none, or one is malformed.
    public init?(pem: [UInt8]) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else { return nil }
        self.certificates = certificates
    }
}
