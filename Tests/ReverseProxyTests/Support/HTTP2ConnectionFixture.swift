import NIOCore
import NIOEmbedded
import ProxySettings

@testable import ReverseProxy

/// A client's HTTP/2 connection without a socket: the test writes its frames and inspects its requests.
final class HTTP2ConnectionFixture {
    let connection: HTTP2Connection
    private let eventLoop = EmbeddedEventLoop()
    private let channel: EmbeddedChannel

    /// - Parameter settings: payload of the client's SETTINGS frame.
    init(settings: [UInt8] = [], door: Door? = nil) throws {
        let target = UpstreamTarget(host: "127.0.0.1", port: 9)
        let configuration = try GatewaySettings().configuration(for: [target])
        let loop = LoopServices(on: eventLoop, of: try UpstreamSessionFixture.state.get(), configuration)
        let upstreams = Upstreams(configuration, loop.gateway.fleets, loop.attempts)
        let hop = DownstreamHop(ClientAddress(peer: "192.0.2.1"))
        hop.door = door
        connection = HTTP2Connection(HTTP2Supplies(on: loop, upstreams), hop: hop)
        channel = EmbeddedChannel(loop: eventLoop)
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
        try channel.pipeline.syncOperations.addHandler(connection)
        try receive(HTTP2Peer.preface + HTTP2Peer.frame(.settings, stream: 0, settings))
    }

    /// Passes bytes to the connection in one read, and lets it write its answers.
    func receive(_ bytes: [UInt8], endsRound: Bool = true) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
        if endsRound { endRound() }
    }

    func endRound() { eventLoop.run() }

    /// Passes a request's head to the connection.
    func request(_ fields: [(String, String)], stream: UInt32 = 1, ends: Bool) throws {
        try receive(HTTP2Peer.frame(.headers, flags: ends ? 5 : 4, stream: stream, HTTP2Peer.block(fields)))
    }

    /// The requests whose streams are still in the session.
    var requests: [HTTP2RequestStream] { connection.streams.compactMap { $0 } }
}
