import NIOSSL
import ProxySettings

extension TLSIdentityCheck {
    /// What the gateway's own TLS library says of them.
    public static let library = TLSIdentityCheck(
        { certificate, key throws(TLSIdentityProblem) in _ = try TLSIdentity(certificate: certificate, key: key) },
        periods: { pem in ((try? NIOSSLCertificate.fromPEMBytes(pem)) ?? []).map(\.period) })
}

extension NIOSSLCertificate {
    var period: CertificatePeriod { CertificatePeriod(notBefore: Int(notValidBefore), notAfter: Int(notValidAfter)) }
}
