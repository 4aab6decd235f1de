import ProxySettings
import TokenVerification

/// Properties of a client's connection. Constant once the first request has begun.
final class DownstreamHop {
    let address: ClientAddress
    /// True if the client connected with TLS.
    var isSecure = false
    /// True if the client was asked for a certificate.
    var asksForCertificate = false
    /// Certificate that the client presented. Nil if none.
    var clientCertificate: ClientCertificate?
    /// Forward auth listener (door) of the connection, at which a proxy asks. Nil if clients send requests here.
    var door: Door?
    /// Redirect that answers every request. Nil if requests are served.
    var redirect: HTTPSRedirect?

    /// The peer's share of the requests in flight, with the counter it belongs to. Nil before the first request.
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
