import NIOCore
import NIOPosix
import Synchronization

/// A proxy that tunnels every CONNECT to one port on loopback, and records the requests.
final class ConnectProxy: Sendable {
    private let channel: any Channel
    private let heads: Mutex<[String]>

    static func running(to port: Int, _ body: (ConnectProxy) async throws -> Void) async throws {
        let pending = Mutex<ConnectProxy?>(nil)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        Tunnel(port: port) { head in pending.withLock { $0?.note(head) } })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let proxy = ConnectProxy(channel)
        pending.withLock { $0 = proxy }
        do {
            try await body(proxy)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private init(_ channel: any Channel) {
        self.channel = channel
        heads = Mutex([])
    }

    var port: Int { channel.localAddress?.port ?? 0 }

    /// Heads of the received requests.
    var requestHeads: [String] { heads.withLock { $0 } }

    private func note(_ head: String) {
        heads.withLock { $0.append(head) }
    }
}

/// Reads one head, then relays bytes in both directions.
private final class Tunnel: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let port: Int
    private let note: (String) -> Void
    private var head = ""
    private var early: [ByteBuffer] = []
    private var hasHead = false
    private var far: (any Channel)?

    init(port: Int, note: @escaping (String) -> Void) {
        self.port = port
        self.note = note
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let bytes = unwrapInboundIn(data)
        if let far { return far.writeAndFlush(bytes, promise: nil) }
        guard !hasHead else { return early.append(bytes) }
        head += String(buffer: bytes)
        guard head.hasSuffix("\r\n\r\n") else { return }
        hasHead = true
        note(head)
        connect(context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        far?.close(promise: nil)
    }

    private func connect(_ context: ChannelHandlerContext) {
        let near = context.channel
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        ClientBootstrap(group: context.eventLoop)
            .channelInitializer { far in
                far.eventLoop.makeCompletedFuture { try far.pipeline.syncOperations.addHandler(Return(to: near)) }
            }
            .connect(host: "127.0.0.1", port: port)
            .whenSuccess { far in
                let (handler, context) = bound.value
                handler.far = far
                context.writeAndFlush(
                    handler.wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n")), promise: nil)
                for bytes in handler.early { far.writeAndFlush(bytes, promise: nil) }
            }
    }
}

/// Relays bytes back to the client.
private final class Return: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let near: any Channel

    init(to near: any Channel) {
        self.near = near
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        near.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        near.close(promise: nil)
    }
}
