import ProxySettings
import Testing

@testable import ReverseProxy

/// Runs a test with a gateway whose HTTP/2 upstream the test writes frame by frame.
func withHTTP2Upstream(
    _ settings: GatewaySettings = GatewaySettings(), sourceLocation: SourceLocation = #_sourceLocation,
    _ body: @Sendable (GatewayFixture) async throws -> Void
) async throws {
    let upstream = try await RawUpstream.start()
    let target = UpstreamTarget(host: "127.0.0.1", port: upstream.target.port, protocols: .http2)
    try await withGateway(
        settings, targets: [target], upstream: upstream, sourceLocation: sourceLocation, body)
}

extension GatewayFixture {
    /// The upstream's end of a connection of HTTP/2, once the gateway has begun.
    func http2Server(_ index: Int = 0) async throws -> HTTP2Peer {
        let server = HTTP2Peer(try await upstream.connection(index))
        #expect(try await server.peer.receive(count: HTTP2Peer.preface.count) == HTTP2Peer.preface)
        server.send(.settings, stream: 0)
        server.send(.settings, flags: 1, stream: 0)
        return server
    }
}
