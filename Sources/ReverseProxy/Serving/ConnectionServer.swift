import NIOCore

/// Serves the connections of one event loop.
final class ConnectionServer {
    let loop: LoopServices
    private let upstreams: Upstreams
    private let http2: HTTP2Supplies

    init(on loop: LoopServices, _ upstreams: Upstreams) {
        self.loop = loop
        self.upstreams = upstreams
        http2 = HTTP2Supplies(on: loop, upstreams)
    }

    /// Serves HTTP on a channel, from the first byte of HTTP.
    func serve(_ channel: any Channel, _ version: HTTPGeneration, _ hop: DownstreamHop) throws {
        let pipeline = channel.pipeline.syncOperations
        switch version {
        case .http1:
            let connection = DownstreamConnection(on: loop, upstreams, hop: hop)
            try pipeline.addHandler(connection)
            if loop.isDraining { connection.drain() }
        case .http2:
            let connection = HTTP2Connection(http2, hop: hop)
            try pipeline.addHandler(connection)
            if loop.isDraining { connection.drain() }
        }
    }
}

@available(*, unavailable)
extension ConnectionServer: Sendable {}

/// Generation of HTTP that a connection speaks.
enum HTTPGeneration: Hashable {
    case http1
    case http2
}
