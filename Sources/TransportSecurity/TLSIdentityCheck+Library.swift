import NIOSSL
import ProxySettings

extension TLSIdentityCheck {
    /// A check of certificates and keys by the gateway's own TLS library.
    public static let library = TLSIdentityCheck(
        { certificate, key throws(TLSIdentityProblem) in _ = try TLSIdentity(certificate: certificate, key: key) },
        periods: { pem in ((try? NIOSSLCertificate.fromPEMBytes(pem)) ?? []).map(\.period) })
}

extension NIOSSLCertificate {
    var period: CertificatePeriod { CertificatePeriod(notBefore: Int(notValidBefore), notAfter: Int(notValidAfter)) }
}
