import Foundation
import Glibc
import NIOCore
import NIOPosix

/// A real Redis server of Debian on a free port, without persistence.
final class RedisServer {
    static let program = ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    static var isThere: Bool { program != nil }

    let port: Int
    private let process: Process
    private let options: [String]

    /// - Parameter port: the port. Nil for a free one.
    init(port: Int? = nil, _ options: [String] = []) throws {
        self.port = try port ?? Self.freePort()
        self.options = options
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program ?? "/nonexistent")
        process.arguments =
            ["--port", "\(self.port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"] + options
        process.standardOutput = FileHandle.nullDevice
        try process.run()
    }

    deinit { kill() }

    /// Kills the server at once, as in a crash.
    func kill() {
        guard process.isRunning else { return }
        _ = Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Makes the server accept connections without answering.
    func freeze() { _ = Glibc.kill(process.processIdentifier, SIGSTOP) }
    func thaw() { _ = Glibc.kill(process.processIdentifier, SIGCONT) }

    static func freePort() throws -> Int {
        let channel = try ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(host: "127.0.0.1", port: 0)
            .wait()
        defer { try? channel.close().wait() }
        return channel.localAddress?.port ?? 0
    }
}

/// A server that answers each connection with fixed bytes, whatever is requested.
final class ScriptedStore: Sendable {
    let port: Int
    private let channel: any Channel

    init(_ bytes: [UInt8], repeats: Bool = false) throws {
        channel = try ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Answers(bytes, repeats: repeats))
                }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = channel.localAddress?.port ?? 0
    }

    func stop() { try? channel.close().wait() }

    private final class Answers: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let bytes: [UInt8]
        private let repeats: Bool
        private var isAnswered = false

        init(_ bytes: [UInt8], repeats: Bool) {
            self.bytes = bytes
            self.repeats = repeats
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            guard !isAnswered || repeats else { return }
            isAnswered = true
            context.writeAndFlush(NIOAny(ByteBuffer(bytes: bytes)), promise: nil)
            if repeats { flood(context) }
        }

        private func flood(_ context: ChannelHandlerContext) {
            let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
            context.eventLoop.scheduleTask(in: .milliseconds(1)) {
                let (handler, context) = bound.value
                guard context.channel.isActive else { return }
                context.writeAndFlush(NIOAny(ByteBuffer(bytes: handler.bytes)), promise: nil)
                handler.flood(context)
            }
        }
    }
}
