import NIOSSL
import TokenVerification

extension NIOSSLHandler {
    /// The certificate that the peer presented and proved to own. Nil if it presented none. Valid after the handshake.
    public var shownCertificate: ClientCertificate? {
        guard let encoded = try? peerCertificate?.toDERBytes() else { return nil }
        return ClientCertificate(encoded)
    }
}
