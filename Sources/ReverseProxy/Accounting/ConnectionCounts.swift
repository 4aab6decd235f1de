import MetricFamilies
import Synchronization

/// Counts of client connections, TLS handshakes and PROXY protocol headers.
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
                "Connections to listeners with `proxy_protocol`, by result of reading the PROXY header; only `announced` and `local` are served.",
                proxyHeaders.samples("result")),
        ]
    }
}

/// Result of a TLS handshake with a client.
enum TLSHandshakeResult: String, CaseIterable {
    case completed
    case failed
    case timedOut = "timed_out"
}

/// Result of reading the PROXY protocol header of a connection, on listeners that require one.
enum ProxyHeaderResult: String, CaseIterable {
    /// A header with the client's address.
    case announced
    /// A header without an address, as from a proxy's health check. The socket's address is used.
    case local
    /// No header: the connection closed before, as a health check does that only connects.
    case incomplete
    /// The first bytes are not a PROXY header.
    case invalid
    case timedOut = "timed_out"
    /// Nothing was read: the peer is not in `proxy_protocol`, so it may not state a client's address.
    case untrusted
}
