import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import TestSupport

/// A small HTTP server on loopback that answers by path, validly or not.
final class KeyServer: Sendable {
    struct Reply: Sendable {
        enum Ending: Sendable {
            case normal, hang, close, endless
        }

        var status: HTTPResponseStatus = .ok
        var headers: HTTPHeaders = [:]
        var body: [UInt8] = []
        var ending = Ending.normal

        static func json(_ text: String, headers: HTTPHeaders = [:]) -> Reply {
            Reply(headers: headers, body: Array(text.utf8))
        }
        static func status(_ status: HTTPResponseStatus, headers: HTTPHeaders = [:]) -> Reply {
            Reply(status: status, headers: headers)
        }
        /// The reply with an ETag; a request with that tag gets 304.
        func tagged(_ tag: String) -> Reply {
            var tagged = self
            tagged.headers.replaceOrAdd(name: "ETag", value: tag)
            return tagged
        }

        /// Accepts and never answers.
        static let silence = Reply(ending: .hang)
    }

    struct Request: Sendable {
        var path: String
        var headers: HTTPHeaders
    }

    private struct State: Sendable {
        /// Remaining replies for each path; the last one is repeated.
        var replies: [String: [Reply]] = [:]
        var requests: [Request] = []
    }

    private let state = Mutex(State())
    private let channel: any Channel
    let port: Int

    /// Listens while the body runs. With a certificate it uses TLS; with an authority it accepts only clients with a
    /// certificate of it.
    static func running(
        certificate: String? = nil, clientAuthority: String? = nil, _ body: (KeyServer) async throws -> Void
    ) async throws {
        let pending = Mutex<KeyServer?>(nil)
        let tls = try certificate.map { try tlsContext($0, clientAuthority) }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(NIOSSLServerHandler(context: tls)) }
                    try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                    try channel.pipeline.syncOperations.addHandler(Handler { pending.withLock { $0 } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let server = KeyServer(channel)
        pending.withLock { $0 = server }
        do {
            try await body(server)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private static func tlsContext(_ certificate: String, _ clientAuthority: String?) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(SampleCertificates.privateKey.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        if let clientAuthority {
            configuration.trustRoots = .file(clientAuthority)
            configuration.certificateVerification = .noHostnameVerification
        }
        return try NIOSSLContext(configuration: configuration)
    }

    private init(_ channel: any Channel) {
        self.channel = channel
        port = channel.localAddress?.port ?? 0
    }

    func url(_ path: String = "/keys", host: String = "127.0.0.1") -> String { "http://\(host):\(port)\(path)" }

    func answer(_ path: String = "/keys", with reply: Reply) {
        answer(path, inTurn: [reply])
    }

    /// Answers with one reply after another, and repeats the last one.
    func answer(_ path: String = "/keys", inTurn replies: [Reply]) {
        state.withLock { $0.replies[path] = replies }
    }

    var requests: [Request] { state.withLock { $0.requests } }

    func count(of path: String = "/keys") -> Int { requests.count { $0.path == path } }

    fileprivate func reply(to request: Request) -> Reply {
        state.withLock { state in
            state.requests.append(request)
            guard var left = state.replies[request.path], let reply = left.first else { return .status(.notFound) }
            if left.count > 1 {
                left.removeFirst()
                state.replies[request.path] = left
            }
            guard let tag = reply.headers.first(name: "ETag"), request.headers["If-None-Match"] == [tag] else {
                return reply
            }
            return Reply(status: .notModified, headers: reply.headers)
        }
    }
}

private final class Handler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let server: () -> KeyServer?

    init(_ server: @escaping () -> KeyServer?) {
        self.server = server
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        guard let reply = server()?.reply(to: .init(path: head.uri, headers: head.headers)) else {
            return context.close(promise: nil)
        }
        if case .hang = reply.ending, reply.body.isEmpty { return }
        var headers = reply.headers
        if case .normal = reply.ending, reply.status != .notModified {
            headers.replaceOrAdd(name: "Content-Length", value: "\(reply.body.count)")
        }
        context.write(
            wrapOutboundOut(.head(.init(version: .http1_1, status: reply.status, headers: headers))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: reply.body)))), promise: nil)
        end(reply.ending, context)
    }

    private func end(_ ending: KeyServer.Reply.Ending, _ context: ChannelHandlerContext) {
        switch ending {
        case .hang: break
        case .normal: context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .close: context.close(promise: nil)
        case .endless: writeOn(context)
        }
    }

    private func writeOn(_ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        let part = ByteBuffer(repeating: 0x20, count: 64 * 1024)
        context.writeAndFlush(wrapOutboundOut(.body(.byteBuffer(part)))).whenSuccess {
            let (handler, context) = bound.value
            handler.writeOn(context)
        }
    }
}
