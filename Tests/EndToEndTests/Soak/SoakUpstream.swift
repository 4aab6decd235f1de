import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Behaviour of an upstream for a request, named in its path: `/api/BEHAVIOUR/NUMBER`.
enum SoakBehaviour: String, CaseIterable {
    case ok, slow, large, chunked
    /// Closes the connection without an answer, or resets it.
    case closed, reset
    /// Sends half a head, or less body than announced, and closes.
    case halfHead, shortBody
    case garbage
    /// Sends a second, unsolicited response after the first.
    case surplus

    /// Statuses that a client with a good token may get.
    var statuses: Set<Int> {
        switch self {
        case .ok, .slow, .large, .chunked: [200]
        case .closed, .reset, .halfHead, .garbage: [502]
        case .shortBody, .surplus: [200, 502]
        }
    }

    /// True if every good token must get its answer.
    var isHealthy: Bool { statuses == [200] }
}

/// An upstream that misbehaves as told, names the request in each answer, and notices requests that should not have
/// reached it.
final class SoakUpstream: Sendable {
    private let channel: any Channel
    let reached: Reached

    /// Requests that reached the upstream.
    final class Reached: Sendable {
        let requests = Atomic<Int>(0)
        /// Requests with a bad token, as marked by their client.
        let bad = Mutex<[String]>([])
    }

    private init(channel: any Channel, reached: Reached) {
        self.channel = channel
        self.reached = reached
    }

    var url: String { "http://127.0.0.1:\(channel.localAddress?.port ?? 0)" }

    static func start() async throws -> SoakUpstream {
        let reached = Reached()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 4096)
            .childChannelOption(.allowRemoteHalfClosure, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Handler(reached))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return SoakUpstream(channel: channel, reached: reached)
    }

    func stop() async {
        try? await channel.close()
    }

    private final class Handler: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer

        private let reached: Reached
        private var received = ByteBuffer()

        init(_ reached: Reached) {
            self.reached = reached
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            received.writeImmutableBuffer(unwrapInboundIn(data))
            while let head = nextHead() { answer(head, context) }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }

        /// The next head, with its body skipped. Bodies are short here and have a Content-Length.
        private func nextHead() -> String? {
            let text = String(buffer: received)
            guard let end = text.range(of: "\r\n\r\n") else { return nil }
            let head = String(text[..<end.lowerBound])
            let length = head.lowercased().firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.output.1) } ?? 0
            let byteCount = head.utf8.count + 4 + length
            guard received.readableBytes >= byteCount else { return nil }
            received.moveReaderIndex(forwardBy: byteCount)
            return head
        }

        private func answer(_ head: String, _ context: ChannelHandlerContext) {
            reached.requests.add(1, ordering: .relaxed)
            let line = head.prefix { $0 != "\r\n" }
            if head.lowercased().contains("\r\nx-token: bad") { reached.bad.withLock { $0.append(String(line)) } }
            let parts = line.split(separator: " ")[1].split(separator: "/")
            let (behaviour, mark) = (SoakBehaviour(rawValue: String(parts[1])) ?? .ok, "<\(parts[2])>")
            let whole = "HTTP/1.1 200 OK\r\nContent-Length: \(mark.utf8.count)\r\n\r\n\(mark)"
            switch behaviour {
            case .ok: write(whole, context)
            case .slow:
                let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
                let place = NIOLoopBound(context, eventLoop: context.eventLoop)
                context.eventLoop.scheduleTask(in: .milliseconds(150)) { bound.value.write(whole, place.value) }
            case .large:
                let body = mark + String(repeating: "x", count: 64 * 1024)
                write("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)", context)
            case .chunked:
                let size = String(mark.utf8.count, radix: 16)
                write(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(mark)\r\n3\r\nabc\r\n0\r\n\r\n",
                    context)
            case .closed: context.close(promise: nil)
            case .reset:
                let options = context.channel as? any SocketOptionProvider
                _ = options?.unsafeSetSocketOption(
                    level: .socket, name: .so_linger, value: linger(l_onoff: 1, l_linger: 0))
                context.close(promise: nil)
            case .halfHead: end("HTTP/1.1 200 OK\r\nContent-Le", context)
            case .shortBody: end("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n\(mark)", context)
            case .garbage: end("\u{1}\u{2}garbage\r\n\r\n", context)
            case .surplus: write(whole + "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<none>", context)
            }
        }

        private func write(_ text: String, _ context: ChannelHandlerContext) {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }

        private func end(_ text: String, _ context: ChannelHandlerContext) {
            let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text))).whenComplete { _ in
                bound.value.close(promise: nil)
            }
        }
    }
}
