import NIOCore
import TestSupport
import Testing

@testable import HTTP2Sessions

/// Floods that cost the gateway more than the client: each ends with ENHANCE_YOUR_CALM.
///
/// Valid use that looks like a flood does not.
struct FloodTests {
    /// Sends the same bytes until the connection ends.
    ///
    /// - Returns: how many times, up to 3000.
    private static func rounds(_ server: ServerEnd, takesOutput: Bool = true, _ bytes: (UInt32) -> [UInt8]) -> Int {
        for round in 0..<3000 {
            server.read(bytes(UInt32(round)))
            _ = server.events().contains { $0.hasPrefix("failed") }
            if takesOutput { _ = server.output() }
            if server.session.hasFailed { return round }
        }
        return 3000
    }

    @Test(arguments: [
        (Wire.ping(), 198), (Wire.frame(.settings), 198), (Wire.frame(.settings, [0, 4, 0, 0, 255, 255]), 198),
        (Wire.frame(.windowUpdate, [0, 0, 0, 1]), 792), (Wire.frame(.priority, stream: 9, [0, 0, 0, 0, 1]), 198),
        (Wire.frame(type: 200), 198), (Wire.frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 0]), 198),
    ])
    func `too many frames without work fail the connection`(frame: [UInt8], count: Int) {
        let server = ServerEnd()
        // The initial settings and their acknowledgement count too.
        #expect(Self.rounds(server) { _ in frame } == count)
        #expect(server.session.isFinished)
    }

    @Test func `empty frames on a stream fail the connection`() {
        for frame in [Wire.frame(.data, stream: 1), Wire.frame(.data, flags: 8, stream: 1, [3, 0, 0, 0])] {
            let server = ServerEnd()
            server.read(Wire.request(Wire.post, ends: false))
            #expect(Self.rounds(server) { _ in frame } < 200)
        }
    }

    @Test func `a rapid reset fails the connection, however many frames are in one read`() {
        let server = ServerEnd()
        #expect(Self.rounds(server) { Self.requestAndReset(2 * $0 + 1) } == 200)
        let other = ServerEnd()
        other.read(stride(from: UInt32(1), to: 6000, by: 2).flatMap(Self.requestAndReset))
        #expect(other.events() == ["failed 11"])
        #expect(other.frames().map { [UInt32($0.type), $0.code] } == [[7, 11]])
        #expect(other.session.isFinished)
    }

    private static func requestAndReset(_ stream: UInt32) -> [UInt8] {
        Wire.request(stream: stream) + Wire.reset(stream)
    }

    /// nghttp2 would end the connection after a thousand resets, whatever was answered in between.
    @Test func `a trusted proxy whose users cancel at the same time keeps its connection`() {
        let server = ServerEnd(for: .trustedProxy)
        for number in stride(from: UInt32(1), to: 2000, by: 2) {
            server.read(Wire.request(stream: number))
            _ = server.events()
            server.answer(Int32(number))
            _ = server.output()
            _ = server.events()
        }
        for number in stride(from: UInt32(2001), to: 5000, by: 2) {
            server.read(Self.requestAndReset(number))
            _ = server.events()
        }
        #expect(server.frames(.goAway).isEmpty)
        #expect(!server.session.hasFailed)
    }

    private static func lateData(_ stream: UInt32) -> [UInt8] {
        Wire.request(stream: stream) + Wire.frame(.data, stream: stream, [1])
    }

    private static func noWindow(_ stream: UInt32) -> [UInt8] {
        Wire.request(Wire.post, stream: stream, ends: false) + Wire.frame(.windowUpdate, stream: stream, [0, 0, 0, 0])
    }

    private static func largeWindow(_ stream: UInt32) -> [UInt8] {
        Wire.request(Wire.post, stream: stream, ends: false)
            + Wire.frame(.windowUpdate, stream: stream, [0x7F, 255, 255, 255])
    }

    private static func upperCase(_ stream: UInt32) -> [UInt8] { Wire.request(Wire.get + [("X", "y")], stream: stream) }

    @Test func `a client that makes the gateway reset streams loses its connection`() {
        let tricks: [(UInt32) -> [UInt8]] = [Self.lateData, Self.noWindow, Self.largeWindow, Self.upperCase]
        for trick in tricks {
            let server = ServerEnd()
            let rounds = Self.rounds(server) { trick(2 * $0 + 1) }
            #expect(rounds <= 201)
            #expect(server.session.isFinished)
        }
    }

    @Test func `a client that does not read its refusals loses its connection`() {
        let server = ServerEnd(limits: HTTP2Limits(concurrentStreams: 10))
        #expect(
            Self.rounds(server, takesOutput: false) { Wire.request(Wire.get + [("X", "y")], stream: 2 * $0 + 1) } == 110
        )
        #expect(server.frames(.goAway).last?.code == 11)
    }

    @Test func `unread acknowledgements are limited, even within one read`() {
        let server = ServerEnd()
        server.read((0..<1500).flatMap { _ in Wire.ping() })
        #expect(server.events() == ["failed 11"])
        #expect(server.frames().map(\.type) == [7])
    }

    @Test(.slow) func `a call of 100,000 messages with a ping and two window updates each keeps its connection`() {
        let server = ServerEnd()
        server.read(Wire.request(Wire.post, ends: false))
        var frames = Wire.frame(.data, stream: 1, Array("message".utf8)) + Wire.ping()
        frames += Wire.frame(.windowUpdate, [0, 0, 0, 1]) + Wire.frame(.windowUpdate, stream: 1, [0, 0, 0, 1])
        let bytes = ByteBuffer(bytes: frames)
        for _ in 0..<100_000 where !server.session.hasFailed {
            server.session.receive(bytes, at: 0)
            while let event = server.session.nextEvent() {
                if case .data(let stream, let content, _) = event {
                    server.session.consume(stream, content.readableBytes)
                }
            }
            server.session.serialize(limit: .max)
            while let piece = server.session.nextOutput() { server.storage.recycle(piece) }
        }
        #expect(!server.session.hasFailed)
    }

    @Test func `a call of 100,000 response messages with a ping and two window updates each keeps its connection`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        server.session.submitHead(.init([(":status", "200")]), to: server.stream(), endsStream: false)
        var frames = Wire.ping()
        frames += Wire.frame(.windowUpdate, [0, 0, 0, 7]) + Wire.frame(.windowUpdate, stream: 1, [0, 0, 0, 7])
        let answer = ByteBuffer(bytes: frames)
        for _ in 0..<100_000 where !server.session.hasFailed {
            server.session.append(ByteBuffer(string: "message"), to: server.stream())
            server.session.serialize(limit: .max)
            while let piece = server.session.nextOutput() { server.storage.recycle(piece) }
            server.session.receive(answer, at: 0)
        }
        #expect(!server.session.hasFailed)
    }

    @Test func `an upstream may send more frames without work than a client, but not without limit`() {
        let client = ClientEnd()
        _ = client.output()
        client.read(Wire.frame(.settings))
        var count = 0
        while !client.session.hasFailed, count < 20_000 {
            client.read(Wire.ping())
            _ = client.output()
            count += 1
        }
        #expect((9_900...10_000).contains(count))
    }
}
