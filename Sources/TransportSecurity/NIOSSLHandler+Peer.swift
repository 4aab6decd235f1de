import NIOSSL
import TokenVerification

extension NIOSSLHandler {
    /// The certificate that the peer showed and proved to own; nil without one. Valid after the handshake.
    public var shownCertificate: ClientCertificate? {
        guard let encoded = try? peerCertificate?.toDERBytes() else { return nil }
        return ClientCertificate(encoded)
    }
}
