import NIOCore
import NIOPosix
import NIOSSL
import ProxySettings
import Synchronization
import Testing

@testable import ReverseProxy

/// An upstream scripted by the test, byte for byte.
final class RawUpstream: Sendable {
    private let channel: any Channel
    private let accepted: Accepted

    private final class Accepted: Sendable {
        let peers = Mutex<[RawPeer]>([])
        private let openPeers = Mutex((peers: [RawPeer](), most: 0))

        /// The most connections that were open when one was accepted.
        var mostOpen: Int { openPeers.withLock { $0.most } }

        /// Adds a connection; called on the event loop that all of them share.
        func add(_ peer: RawPeer) {
            peers.withLock { $0.append(peer) }
            openPeers.withLock { open in
                open.peers = open.peers.filter(\.isEstablished) + [peer]
                open.most = max(open.most, open.peers.count)
            }
        }
    }

    let target: UpstreamTarget

    private init(_ channel: any Channel, _ accepted: Accepted, _ target: UpstreamTarget) {
        self.channel = channel
        self.accepted = accepted
        self.target = target
    }

    /// Starts listening.
    ///
    /// - Parameter tls: TLS settings of the upstream. Nil for plain TCP.
    static func start(host: String = "127.0.0.1", port: Int = 0, tls: NIOSSLContext? = nil) async throws -> RawUpstream
    {
        let accepted = Accepted()
        let channel = try await bootstrap(accepted, tls)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .bind(host: host, port: port).get()
        return RawUpstream(channel, accepted, UpstreamTarget(host: host, port: channel.localAddress?.port ?? 0))
    }

    /// Starts listening on a Unix socket.
    static func start(socketPath: String) async throws -> RawUpstream {
        let accepted = Accepted()
        let channel = try await bootstrap(accepted, nil).bind(unixDomainSocketPath: socketPath).get()
        return RawUpstream(channel, accepted, UpstreamTarget(socketPath: socketPath))
    }

    private static func bootstrap(_ accepted: Accepted, _ tls: NIOSSLContext?) -> ServerBootstrap {
        ServerBootstrap(group: RawPeer.group)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    let peer = try RawPeer.adopt(channel)
                    accepted.add(peer)
                }
            }
    }

    /// Number of accepted connections.
    var connectionCount: Int { accepted.peers.withLock { $0.count } }

    /// Maximum of connections that were open at once, according to the kernel at each accept; 0 for a Unix socket.
    var mostOpen: Int { accepted.mostOpen }

    /// A connection by the order in which it was accepted.
    func connection(_ index: Int = 0) async throws -> RawPeer {
        _ = try await holds { self.connectionCount > index }
        return try #require(
            accepted.peers.withLock { $0.indices.contains(index) ? $0[index] : nil }, "no connection \(index)")
    }

    func stop() async throws {
        try await channel.close().get()
    }

    /// Echoes every request on every connection in its response, until the task is cancelled.
    ///
    /// - Parameter end: text that ends each request.
    func echo(through end: String = "\r\n\r\n") -> Task<Void, Never> {
        answer(through: end) { "HTTP/1.1 200 OK\r\nContent-Length: \($0.utf8.count)\r\n\r\n\($0)" }
    }

    /// Answers every request on every connection, until the task is cancelled.
    func answer(through end: String = "\r\n\r\n", _ answer: @escaping @Sendable (String) -> String) -> Task<Void, Never>
    {
        Task {
            while !Task.isCancelled {
                for peer in accepted.peers.withLock({ $0 }) {
                    while let request = peer.takeThrough(end) { peer.send(answer(request)) }
                }
                try? await Task.sleep(for: .microseconds(200))
            }
        }
    }
}
