import ProxySettings
import TokenVerification

/// Properties of a client's connection; constant once the first request has begun.
final class DownstreamHop {
    let address: ClientAddress
    /// Whether the client speaks to us by TLS.
    var isSecure = false
    /// Whether the client was asked for a certificate.
    var asksForCertificate = false
    /// The certificate that it showed.
    var clientCertificate: ClientCertificate?
    /// The door at which a proxy asks; nil: a client sends requests.
    var door: Door?
    /// Whether requests are only redirected.
    var redirect: HTTPSRedirect?

    init(_ address: ClientAddress) {
        self.address = address
    }
}

@available(*, unavailable)
extension DownstreamHop: Sendable {}
