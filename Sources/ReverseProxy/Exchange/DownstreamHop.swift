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

    /// The peer's share of the requests in flight, from its first one on, and whose it is.
    private var share: (of: RequestsInFlight, value: ClientShare)?

    init(_ address: ClientAddress) {
        self.address = address
    }

    deinit {
        if let share { share.of.letGo(of: share.value) }
    }

    /// The peer's share of the requests in flight. Nil if the peer has no address.
    func share(of requests: RequestsInFlight) -> ClientShare? {
        if let share { return share.value }
        guard let address = address.peerAddress else { return nil }
        let value = requests.share(of: address)
        share = (requests, value)
        return value
    }
}

@available(*, unavailable)
extension DownstreamHop: Sendable {}
