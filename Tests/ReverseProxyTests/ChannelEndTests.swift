import Glibc
import NIOCore
import NIOEmbedded
import NIOPosix
import Testing

@testable import ReverseProxy

/// Output of a channel's end: what its socket takes at once, and what the channel writes later.
@Suite(.timeLimit(.minutes(1)))
struct ChannelEndTests {
    /// Two connected sockets. One belongs to a channel, the other to the test.
    private struct Pair {
        let channel: any Channel
        /// Number of the channel's socket.
        let number: CInt
        let peer: CInt

        init() async throws {
            var sockets: [CInt] = [-1, -1]
            try #require(unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &sockets) == 0)
            (number, peer) = (sockets[0], sockets[1])
            channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandler(EndHolder())
                    }
                }
                .withConnectedSocket(number).get()
        }

        func withEnd<Result: Sendable>(_ body: @escaping @Sendable (ChannelEnd) -> Result) async throws -> Result {
            try await channel.eventLoop.submit { [channel] in
                let holder = try channel.pipeline.syncOperations.handler(type: EndHolder.self)
                return body(try #require(holder.end))
            }.get()
        }

        /// Bytes that have arrived at the test's socket, up to a number.
        func received(most: Int) -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: most)
            let count = unsafe recv(peer, &bytes, most, CInt(MSG_DONTWAIT))
            return Array(bytes.prefix(max(0, count)))
        }
    }

    private final class EndHolder: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        var end: ChannelEnd?

        func handlerAdded(context: ChannelHandlerContext) { end = ChannelEnd(context) }
    }

    /// Pieces of different lengths, together far more than a socket holds.
    private static let pieces = (0..<2_000).map { number in
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1 + number * 7 % 4_099)
    }

    @Test func `bytes that the socket does not take at once follow in order`() async throws {
        let pair = try await Pair()
        let (unwritten, first, overtaking) = try await pair.withEnd { end in
            for piece in Self.pieces { end.send(ByteBuffer(bytes: piece)) }
            let unwritten = end.unwrittenBytes
            // The socket has room again, in the same turn of the event loop, so that the channel does not know it yet.
            let first = pair.received(most: 1 << 17)
            return (unwritten, first, end.sendAtOnce([1].span))
        }
        #expect(unwritten > 0 && !first.isEmpty)
        #expect(overtaking == 0, "No byte may overtake those that the channel holds.")

        let all = Self.pieces.flatMap { $0 }
        var received = first
        try await eventually {
            received += pair.received(most: 1 << 20)
            return received.count >= all.count
        }
        #expect(received == all)

        let sent = try await pair.withEnd { $0.sendAtOnce([2, 3].span) }
        #expect(sent == 2, "The channel holds nothing any more.")
        #expect(pair.received(most: 10) == [2, 3])
        try await pair.channel.close().get()
        Glibc.close(pair.peer)
    }

    @Test func `nothing is sent on the number of a closed socket, which another connection has by now`() async throws {
        // Something else in this process may take the number first, so it is tried again.
        for _ in 0..<50 {
            let closed = try await Pair()
            let end = try await closed.withEnd { NIOLoopBound($0, eventLoop: closed.channel.eventLoop) }
            try await closed.channel.close().get()
            let other = try await Pair()
            let sent = try await closed.channel.eventLoop.submit { end.value.sendAtOnce([1, 2, 3].span) }.get()
            #expect(sent == 0)
            #expect(other.received(most: 10) == [])
            let isReused = other.number == closed.number
            try await other.channel.close().get()
            Glibc.close(closed.peer)
            Glibc.close(other.peer)
            if isReused { return }
        }
        Issue.record("The number was never given to the next socket.")
    }

    @Test func `bytes for a peer that is gone are left to the channel, which then closes`() async throws {
        let pair = try await Pair()
        let sent = try await pair.withEnd { end in
            // In one turn of the event loop, before the channel reads that the peer is gone.
            Glibc.close(pair.peer)
            let sent = end.sendAtOnce([1].span)
            end.send(ByteBuffer(bytes: [1]))
            return sent
        }
        #expect(sent == 0)
        try await pair.channel.closeFuture.get()
    }

    @Test func `a channel without a socket writes everything itself`() throws {
        let channel = EmbeddedChannel()
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 9)).wait()
        let holder = EndHolder()
        try channel.pipeline.syncOperations.addHandler(holder)
        let end = try #require(holder.end)
        #expect(end.sendAtOnce([1].span) == 0)
        end.send(ByteBuffer(bytes: [1, 2]))
        #expect(try channel.readOutbound(as: ByteBuffer.self) == ByteBuffer(bytes: [1, 2]))
        _ = try channel.finish()
    }
}
