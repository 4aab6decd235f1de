import NIOCore
import NIOEmbedded
import Testing

@testable import ReverseProxy

@Suite struct LastBytesTests {
    /// A socket that takes bytes when it is told to.
    private final class SlowSocket: ChannelOutboundHandler {
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData

        private var waiting: [EventLoopPromise<Void>] = []
        private(set) var isClosed = false

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if let promise { waiting.append(promise) }
        }

        func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
            isClosed = true
            context.close(mode: mode, promise: promise)
        }

        func takeAll() {
            let taken = waiting
            waiting = []
            for promise in taken { promise.succeed() }
        }
    }

    private static func closing() throws -> (EmbeddedChannel, SlowSocket) {
        let socket = SlowSocket()
        let channel = EmbeddedChannel(handlers: [socket, LastBytes(limit: .seconds(5))])
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
        channel.writeAndFlush(ByteBuffer(string: "the end"), promise: nil)
        channel.close(promise: nil)
        return (channel, socket)
    }

    @Test func `a connection is closed when the last byte is taken, and not before`() throws {
        let (channel, socket) = try Self.closing()
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(!socket.isClosed)
        socket.takeAll()
        #expect(socket.isClosed)
    }

    @Test func `nobody is waited for without end`() throws {
        let (channel, socket) = try Self.closing()
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(socket.isClosed)
        socket.takeAll()
    }

    @Test func `another close is meant`() throws {
        let (channel, socket) = try Self.closing()
        channel.close(promise: nil)
        #expect(socket.isClosed)
        socket.takeAll()
    }
}
