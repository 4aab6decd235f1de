import NIOCore

/// Serves the connections of one event loop.
final class ConnectionServer {
    let loop: LoopServices
    private let upstreams: Upstreams

    init(on loop: LoopServices, _ upstreams: Upstreams) {
        self.loop = loop
        self.upstreams = upstreams
    }

    /// Serves HTTP on a channel whose bytes are HTTP's from now on.
    func serve(_ channel: any Channel, _ version: HTTPGeneration, _ hop: DownstreamHop) throws {
        switch version {
        case .http1:
            let connection = DownstreamConnection(on: loop, upstreams, hop: hop)
            try channel.pipeline.syncOperations.addHandler(connection)
            if loop.isDraining { connection.drain() }
        case .http2: try HTTP2Connection.serve(channel, on: loop, upstreams, hop: hop)
        }
    }
}

@available(*, unavailable)
extension ConnectionServer: Sendable {}

/// The generation of HTTP that one connection speaks.
enum HTTPGeneration: Hashable {
    case http1
    case http2
}
