import ProxySettings
import TokenVerification

/// What carries a client's requests: known before the first of them, and the same for all.
struct DownstreamHop {
    let address: ClientAddress
    /// Whether the client speaks to us by TLS.
    var isSecure = false
    /// Whether the client was asked for a certificate.
    var asksForCertificate = false
    /// Of the certificate that it showed.
    var clientCertificate: CertificateThumbprint?
    /// Whether requests are only told where to go.
    var redirect: HTTPSRedirect?

    /// What a stream of HTTP/2 has not sent yet; nil for a connection of HTTP/1.1.
    var stream: UnsentBytes?

    init(_ address: ClientAddress) {
        self.address = address
    }
}
