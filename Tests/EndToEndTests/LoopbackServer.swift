import NIOCore
import NIOHTTP1
import NIOPosix

/// A small HTTP server on loopback with answers from a test, which counts its requests.
final class LoopbackServer: Sendable {
    /// Answers a request. An error closes the connection without an answer.
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

    /// An upstream that gives the same answer to all requests.
    static func upstream() async throws -> LoopbackServer {
        try await start { _ in LoopbackReply(body: ByteBuffer(string: #"{"upstream":true}"#)) }
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    var url: String { "http://127.0.0.1:\(port)" }

    func count(of path: String) -> Int { tally.count(of: path) }

    /// Number of connections opened to it so far, with or without a request.
    var connectionCount: Int { tally.connectionCount }

    /// Stops accepting connections.
    func stop() async {
        try? await channel.close()
    }
}
