import AsyncHTTPClient
import NetworkNames

/// Connections to one address of the endpoint, kept open between questions; closed when the last reference to this is
/// gone.
final class KeptConnections: Sendable {
    let client: HTTPClient
    let endpoint: HTTPURL
    let openedAt: ContinuousClock.Instant

    /// Lifetime of the connections. Changed addresses and trust anchors apply after it.
    static let lifetime = Duration.seconds(60)

    init(_ client: HTTPClient, to endpoint: HTTPURL, openedAt: ContinuousClock.Instant) {
        self.client = client
        self.endpoint = endpoint
        self.openedAt = openedAt
    }

    func areFresh(at now: ContinuousClock.Instant) -> Bool {
        now < openedAt.advanced(by: Self.lifetime)
    }

    deinit {
        // Every request has its answer, so only idle connections are left to close; there is nothing to do if that
        // fails.
        client.shutdown { _ in }
    }
}
