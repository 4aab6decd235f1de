import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// A collector on a free port that answers as a test says.
final class CollectorStub: Sendable {
    enum Answer: Sendable {
        case accepted
        /// A body that is no OTLP.
        case garbage
        /// A status with fields and without a body.
        case status(Int, [String: String])
        /// A body of this many bytes, as fast as it is read.
        case long(Int)
        /// The head of an answer, and no more.
        case begun
        /// No answer at all.
        case silence
        /// A message of the protocol.
        case message([UInt8])
    }

    struct Request: Sendable {
        let path: String
        let fields: [String: String]
        let body: [UInt8]
    }

    private let state = Mutex((answers: [Answer](), requests: [Request]()))
    private let channel: Mutex<(any Channel)?> = Mutex(nil)
    /// Path of the requests that are answered with 404.
    private let refused: String

    private init(refusing path: String) { refused = path }

    /// Starts a collector.
    ///
    /// - Parameters:
    ///   - answers: one for each request; the last one is repeated.
    ///   - path: path of the requests that are answered with 404 instead.
    static func start(_ answers: [Answer], port: Int = 0, refusing path: String = "") async throws -> CollectorStub {
        let stub = CollectorStub(refusing: path)
        stub.state.withLock { $0.answers = answers }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler(stub))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        stub.channel.withLock { $0 = channel }
        return stub
    }

    var port: Int { channel.withLock { $0?.localAddress?.port ?? 0 } }
    var requests: [Request] { state.withLock { $0.requests } }

    func stop() async { try? await channel.withLock { $0 }?.close() }

    private func take(_ request: Request) -> Answer {
        state.withLock { state in
            state.requests.append(request)
            guard request.path != refused else { return .status(404, [:]) }
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first ?? .accepted
        }
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = HTTPServerRequestPart
        typealias OutboundOut = HTTPServerResponsePart

        private let stub: CollectorStub
        private var head: HTTPRequestHead?
        private var body: [UInt8] = []

        init(_ stub: CollectorStub) { self.stub = stub }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            switch unwrapInboundIn(data) {
            case .head(let head): (self.head, body) = (head, [])
            case .body(let part): body += Array(part.readableBytesView)
            case .end:
                guard let head else { return }
                let fields = Dictionary(head.headers.map { ($0.name.lowercased(), $0.value) }) { $0 + ", " + $1 }
                answer(stub.take(Request(path: head.uri, fields: fields, body: body)), context)
            }
        }

        private func answer(_ answer: Answer, _ context: ChannelHandlerContext) {
            switch answer {
            case .accepted: send(200, [:], [], context)
            case .garbage: send(200, ["content-type": "text/html"], Array("<html>hello</html>".utf8), context)
            case .message(let bytes): send(200, ["content-type": "application/x-protobuf"], bytes, context)
            case .status(let status, let fields): send(status, fields, [], context)
            case .long(let count): send(200, [:], [UInt8](repeating: 0, count: count), context)
            case .begun:
                let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-length": "10"])
                context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
            case .silence: break
            }
        }

        private func send(_ status: Int, _ fields: [String: String], _ body: [UInt8], _ context: ChannelHandlerContext)
        {
            var headers = HTTPHeaders(fields.map { ($0.key, $0.value) })
            headers.add(name: "content-length", value: "\(body.count)")
            let head = HTTPResponseHead(version: .http1_1, status: .init(statusCode: status), headers: headers)
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }
}
