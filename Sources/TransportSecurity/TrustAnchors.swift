import NIOSSL

/// The certificates that a peer's chain has to end in.
public struct TrustAnchors: Sendable {
    let certificates: [NIOSSLCertificate]

    /// Reads them from PEM; nil if there are none, or one of them is malformed.
    public init?(pem: [UInt8]) {
        guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else { return nil }
        self.certificates = certificates
    }
}
