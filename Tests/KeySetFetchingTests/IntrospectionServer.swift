import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

/// A small introspection endpoint on loopback that records requests, and answers validly or not.
final class IntrospectionServer: Sendable {
    struct Reply: Sendable {
        enum Ending: Sendable {
            /// Way in which a response ends. `cut`: after half of the body; `reset`: instead of a response.
            case normal, silent, close, endless, unannounced, cut, reset
        }

        var status: HTTPResponseStatus = .ok
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        var body = ""
        var ending = Ending.normal

        static func json(_ text: String, headers: HTTPHeaders = [:]) -> Reply { Reply(headers: headers, body: text) }
        static func status(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:]) -> Reply {
            Reply(status: status, headers: headers)
        }
        /// Accepts and never answers.
        static let silence = Reply(ending: .silent)
    }

    struct Request: Sendable {
        var method: HTTPMethod
        var path: String
        var headers: HTTPHeaders
        var body: String
    }

    private struct State {
        var reply = Reply.json(#"{"active":true}"#)
        var gate: EventLoopFuture<Void>?
        var requests: [Request] = []
        var connections = 0
    }

    private let state = Mutex(State())
    private let channel: any Channel
    let port: Int

    /// Listens while the body runs. With a certificate it uses TLS.
    static func running(certificate: String? = nil, _ body: (IntrospectionServer) async throws -> Void) async throws {
        let pending = Mutex<IntrospectionServer?>(nil)
        let tls = try certificate.map { try tlsContext($0) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(
                        IntrospectionServerHandler { pending.withLock { $0 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = IntrospectionServer(channel)
        pending.withLock { $0 = server }
        do {
            try await body(server)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private static func tlsContext(_ certificate: String) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(SampleCertificates.privateKey.utf8), format: .pem)
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key)))
    }

    private init(_ channel: any Channel) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    func answer(with reply: Reply) {
        state.withLock { $0.reply = reply }
    }

    /// Holds all responses until the promise is fulfilled.
    func holdAnswers() -> EventLoopPromise<Void> {
        let promise = channel.eventLoop.makePromise(of: Void.self)
        state.withLock { $0.gate = promise.futureResult }
        return promise
    }

    var requests: [Request] { state.withLock { $0.requests } }

    var connections: Int { state.withLock { $0.connections } }

    fileprivate func noteConnection() {
        state.withLock { $0.connections += 1 }
    }

    fileprivate func reply(to request: Request) -> (Reply, EventLoopFuture<Void>?) {
        state.withLock { state in
            state.requests.append(request)
            return (state.reply, state.gate)
        }
    }
}

private final class IntrospectionServerHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: () -> IntrospectionServer?
    private var head: HTTPRequestHead?
    private var body = ""

    init(_ server: @escaping () -> IntrospectionServer?) {
        self.server = server
    }

    func channelActive(context: ChannelHandlerContext) {
        server()?.noteConnection()
        context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = ""
        case .body(let part): body += String(buffer: part)
        case .end: answer(context)
        }
    }

    private func answer(_ context: ChannelHandlerContext) {
        guard let head, let server = server() else { return context.close(promise: nil) }
        let (reply, gate) = server.reply(
            to: .init(method: head.method, path: head.uri, headers: head.headers, body: body))
        guard let gate else { return send(reply, context) }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        gate.hop(to: context.eventLoop).whenComplete { _ in
            let (handler, context) = bound.value
            handler.send(reply, context)
        }
    }

    private func send(_ reply: IntrospectionServer.Reply, _ context: ChannelHandlerContext) {
        if case .silent = reply.ending { return }
        if case .reset = reply.ending { return context.close(promise: nil) }
        var headers = reply.headers
        if reply.ending != .endless, reply.ending != .unannounced {
            let rest = reply.ending == .cut ? 10 : 0
            headers.replaceOrAdd(name: "Content-Length", value: "\(reply.body.utf8.count + rest)")
        }
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: reply.status, headers: headers))), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: reply.body)))), promise: nil)
        switch reply.ending {
        case .endless: writeOn(context)
        case .normal, .silent, .unannounced: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .cut:
            context.flush()
            context.close(promise: nil)
        case .reset: break
        case .close:
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
            context.close(promise: nil)
        }
    }

    private func writeOn(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let part = ByteBuffer(repeating: 0x20, count: 16 * 1024)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part)))).whenSuccess {
            let (handler, context) = bound.value
            handler.writeOn(context)
        }
    }
}
