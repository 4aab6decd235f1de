import NIOCore
import NIOHPACK
import ProxySettings
import Synchronization
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
    /// The upstream's end of an HTTP/2 connection, once the gateway has sent its preface and the upstream its settings.
    func http2Server(_ index: Int = 0) async throws -> HTTP2Peer {
        let server = HTTP2Peer(try await upstream.connection(index))
        #expect(try await server.peer.receive(count: HTTP2Peer.preface.count) == HTTP2Peer.preface)
        server.send(.settings, stream: 0)
        server.send(.settings, flags: 1, stream: 0)
        return server
    }
}

// MARK: Upstreams that change their minds

extension HTTP2Peer {
    /// Announces the maximum of concurrent streams.
    func send(streamLimit: Int) {
        send(.settings, stream: 0, [0, 3] + (0..<4).map { UInt8(truncatingIfNeeded: streamLimit >> (24 - 8 * $0)) })
    }

    /// Receives the gateway's preface and sends the settings of an upstream.
    func agree(streamLimit: Int? = nil) async throws {
        #expect(try await peer.receive(count: Self.preface.count) == Self.preface)
        if let streamLimit { send(streamLimit: streamLimit) } else { send(.settings, stream: 0) }
        send(.settings, flags: 1, stream: 0)
    }
}

extension RawUpstream {
    /// Serves every connection, until the task is cancelled.
    func serve(_ serve: @escaping @Sendable (HTTP2Peer) async throws -> Void) -> Task<Void, Never> {
        Task {
            await withTaskGroup(of: Void.self) { group in
                var served = 0
                while !Task.isCancelled {
                    while served < connectionCount {
                        let index = served
                        served += 1
                        group.addTask {
                            guard let peer = try? await self.connection(index) else { return }
                            try? await serve(HTTP2Peer(peer))
                        }
                    }
                    try? await Task.sleep(for: .milliseconds(1))
                }
            }
        }
    }

    /// Announces a stream limit of 0 on every connection, and refuses the request sent before that was received.
    func takeNothing() -> Task<Void, Never> {
        serve { server in
            try await server.agree(streamLimit: 0)
            let stream = try await server.next(.headers).stream
            server.send(.resetStream, stream: stream, [0, 0, 0, 7])
        }
    }

    /// Answers every request on every connection, and changes the stream limit at any time.
    ///
    /// - Parameter paths: records the paths of the requests, in order.
    func answer(changing limits: [Int], _ paths: Paths) -> Task<Void, Never> {
        serve { server in
            try await server.agree()
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            while !Task.isCancelled, !server.peer.hasEnded {
                guard try await holds(within: .milliseconds(100), { server.peer.bytes.count >= 9 }) else { continue }
                let frame = try await server.next()
                guard frame.type == HTTP2Peer.FrameType.headers.rawValue else { continue }
                var block = ByteBuffer(bytes: frame.payload)
                paths.add(try decoder.decodeHeaders(from: &block)[":path"].first ?? "")
                if Bool.random(), let limit = limits.randomElement() { server.send(streamLimit: limit) }
                if Bool.random() { try await Task.sleep(for: .microseconds(.random(in: 0...2000))) }
                server.send(
                    .headers, flags: 5, stream: frame.stream,
                    HTTP2Peer.block([(":status", "200"), ("content-length", "0")]))
                if Bool.random(), let limit = limits.randomElement() { server.send(streamLimit: limit) }
            }
        }
    }

    /// Paths of the received requests.
    final class Paths: Sendable {
        private let paths = Mutex<[String]>([])

        var all: [String] { paths.withLock { $0 } }

        func add(_ path: String) { paths.withLock { $0.append(path) } }
    }
}
