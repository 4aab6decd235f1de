import NIOCore
import NIOHTTP1
import NIOPosix

/// A small HTTP server on loopback that answers as a test says, and counts what it was asked.
final class LoopbackServer: Sendable {
    /// Handler of a request. An error closes the connection without an answer.
    typealias Handler = @Sendable (LoopbackRequest) async throws -> LoopbackReply

    private let channel: any Channel
    private let tally: RequestTally

    private init(channel: any Channel, tally: RequestTally) {
        self.channel = channel
        self.tally = tally
    }

    static func start(_ answer: @escaping Handler) async throws -> LoopbackServer {
        let tally = RequestTally()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 1024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                tally.addConnection()
                return channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(LoopbackHandler(tally, answer))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return LoopbackServer(channel: channel, tally: tally)
    }

    /// An upstream that answers everything alike.
    static func upstream() async throws -> LoopbackServer {
        try await start { _ in LoopbackReply(body: ByteBuffer(string: #"{"upstream":true}"#)) }
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    var url: String { "http://127.0.0.1:\(port)" }

    func count(of path: String) -> Int { tally.count(of: path) }

    /// Connections that were opened to it so far, whatever came on them.
    var connectionCount: Int { tally.connectionCount }

    /// Takes no more connections.
    func stop() async {
        try? await channel.close()
    }
}
