import ProxySettings
import TokenVerification

/// What carries a client's requests: the same for all of them, and not changed once the first has begun.
final class DownstreamHop {
    let address: ClientAddress
    /// Whether the client speaks to us by TLS.
    var isSecure = false
    /// Whether the client was asked for a certificate.
    var asksForCertificate = false
    /// Of the certificate that it showed.
    var clientCertificate: CertificateThumbprint?
    /// Whether requests are only told where to go.
    var redirect: HTTPSRedirect?

    init(_ address: ClientAddress) {
        self.address = address
    }
}

@available(*, unavailable)
extension DownstreamHop: Sendable {}
