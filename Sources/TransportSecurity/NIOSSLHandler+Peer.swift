import NIOSSL
import TokenVerification

extension NIOSSLHandler {
    /// Of the certificate that the peer showed and proved to own; nil without one. Valid after the handshake.
    public var peerThumbprint: CertificateThumbprint? {
        guard let encoded = try? peerCertificate?.toDERBytes() else { return nil }
        return CertificateThumbprint(ofCertificate: encoded)
    }
}
