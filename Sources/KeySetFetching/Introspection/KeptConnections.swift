import AsyncHTTPClient
import NetworkNames

/// Connections to one address of the endpoint, kept open between questions. Closed when the last reference to this
/// object is released.
final class KeptConnections: Sendable {
    let client: HTTPClient
    let endpoint: HTTPURL
    let openedAt: ContinuousClock.Instant

    /// Time for which the connections are used. After that, changed addresses and trust anchors take effect.
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
        // Every request has its answer, so only idle connections are closed here. A failure needs no handling.
        client.shutdown { _ in }
    }
}
