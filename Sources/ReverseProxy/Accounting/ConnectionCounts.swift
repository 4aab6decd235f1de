import MetricFamilies
import Synchronization

/// Connections of clients, and how they began.
struct ConnectionCounts: ~Copyable, Sendable {
    let open = Atomic<Int>(0)
    let accepted = Atomic<UInt64>(0)
    let handshakes = CaseCounter<TLSHandshakeResult>()
    let proxyHeaders = CaseCounter<ProxyHeaderResult>()

    var families: [MetricFamily] {
        [
            .gauge("bearward_connections", "Open connections of clients.", open.load(ordering: .relaxed)),
            .counter(
                "bearward_connections_accepted_total", "Connections accepted from clients.",
                accepted.load(ordering: .relaxed)),
            .counter(
                "bearward_tls_handshakes_total", "TLS handshakes with clients, by result.", handshakes.samples("result")
            ),
            .counter(
                "bearward_proxy_headers_total",
                "Connections to listeners with `proxy_protocol`, by what they began with; only announced and local ones are served.",
                proxyHeaders.samples("result")),
        ]
    }
}

/// How TLS handshakes with clients end.
enum TLSHandshakeResult: String, CaseIterable {
    case completed
    case failed
    case timedOut = "timed_out"
}

/// What connections began with on listeners that ask for a PROXY protocol header.
enum ProxyHeaderResult: String, CaseIterable {
    /// A header with the client's address.
    case announced
    /// A header that leaves the socket's address, as of a proxy's health check.
    case local
    /// No header: it ended before, as a check does that only connects.
    case incomplete
    /// Something else than a header.
    case invalid
    case timedOut = "timed_out"
    /// Nothing was read: the peer is not one that may state a client's address.
    case untrusted
}
