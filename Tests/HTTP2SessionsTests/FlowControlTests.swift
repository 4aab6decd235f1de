import NIOCore
import Testing

@testable import HTTP2Sessions

/// Windows, queues and output: queued content is bounded, and large buffers are not copied.
struct FlowControlTests {
    private static let frame = [UInt8](repeating: 1, count: 10_000)

    @Test func `the window opens when content is consumed, not when it is received`() {
        let server = ServerEnd()
        server.consumes = false
        server.read(Wire.request(Wire.post, ends: false))
        for _ in 0..<6 { server.read(Wire.frame(.data, stream: 1, Self.frame)) }
        _ = server.events()
        #expect(server.frames().isEmpty)
        server.session.consume(server.stream(), 20_000)
        #expect(server.frames().isEmpty)
        server.session.consume(server.stream(), 20_000)
        #expect(server.frames() == [.init(type: 8, stream: 1, payload: Wire.word(40_000))])
        // No more than is unconsumed.
        server.session.consume(server.stream(), 1_000_000)
        server.read(Wire.frame(.data, stream: 1, Self.frame))
        server.session.consume(server.stream(), -5)
        #expect(!server.session.hasFailed)
    }

    @Test func `unconsumed content of a closed stream does not shrink the connection's window`() {
        let server = ServerEnd()
        server.consumes = false
        var credit = 0
        for number in 0..<100 {
            let stream = UInt32(2 * number + 1)
            server.read(Wire.request(Wire.post, stream: stream, ends: false))
            for _ in 0..<6 { server.read(Wire.frame(.data, flags: 8, stream: stream, [9] + Self.frame)) }
            // The client cancels half of them.
            server.read(number % 2 == 0 ? Wire.reset(stream) : Wire.frame(.data, flags: 1, stream: stream))
            _ = server.events()
            server.answer(Int32(stream))
            credit += server.frames(.windowUpdate).filter { $0.stream == 0 }.map { Int($0.code) }.reduce(0, +)
            #expect(!server.session.hasFailed)
        }
        #expect(credit >= 100 * 60_060 - 256 * 1024)
    }

    @Test func `content that arrives after a reset is dropped and credited to the connection's window`() {
        let server = ServerEnd()
        server.read(Wire.request(Wire.post, ends: false))
        _ = server.events()
        server.session.reset(server.stream(), .cancel)
        var credit = 0
        for _ in 0..<30 {
            server.read(Wire.frame(.data, stream: 1, Self.frame))
            #expect(server.events().allSatisfy { $0 == "closed 1 reset 8" })
            credit += server.frames(.windowUpdate).filter { $0.stream == 0 }.map { Int($0.code) }.reduce(0, +)
        }
        #expect(credit >= 170_000)
    }

    // MARK: Withheld windows

    @Test func `withheld window updates are sent all at once`() {
        let server = ServerEnd()
        server.session.withholdWindows()
        server.read(Wire.request(Wire.post, ends: false))
        for _ in 0..<5 { server.read(Wire.frame(.data, stream: 1, Self.frame)) }
        #expect(server.session.unconsumedByteCount == 50_000)
        _ = server.events()
        #expect(server.session.unconsumedByteCount == 0)
        #expect(server.frames().isEmpty)
        #expect(server.session.grantWindows())
        #expect(server.frames() == [.init(type: 8, stream: 1, payload: Wire.word(50_000))])
        // From now on windows open as usual, and nothing is credited twice.
        #expect(!server.session.grantWindows())
        #expect(server.frames().isEmpty)
        for _ in 0..<5 { server.read(Wire.frame(.data, stream: 1, Self.frame)) }
        _ = server.events()
        #expect(server.frames(.windowUpdate).contains { $0.stream == 1 && $0.code == 40_000 })
        #expect(!server.session.hasFailed)
    }

    @Test(arguments: [false, true]) func `withheld credit of closed streams goes to the connection's window`(
        _ isConsumed: Bool
    ) {
        let server = ServerEnd()
        server.consumes = isConsumed
        server.session.withholdWindows()
        for number in 0..<4 {
            let stream = UInt32(2 * number + 1)
            server.read(Wire.request(Wire.post, stream: stream, ends: false))
            for _ in 0..<6 { server.read(Wire.frame(.data, stream: stream, Self.frame)) }
            _ = server.events()
            server.read(Wire.reset(stream))
            _ = server.events()
        }
        #expect(server.session.unconsumedByteCount == 0)
        #expect(server.frames().isEmpty)
        #expect(server.session.grantWindows())
        #expect(server.frames() == [.init(type: 8, stream: 0, payload: Wire.word(240_000))])
    }

    // MARK: Output

    private static func answering(_ limits: HTTP2Limits = HTTP2Limits()) -> ServerEnd {
        let server = ServerEnd(limits: limits)
        server.read(
            Wire.request() + Wire.frame(.windowUpdate, Wire.word(1 << 24))
                + Wire.frame(.windowUpdate, stream: 1, Wire.word(1 << 24)))
        _ = server.events()
        server.session.submitHead(.init([(":status", "200")]), to: server.stream(), endsStream: false)
        _ = server.output()
        return server
    }

    @Test func `no more bytes are serialized than requested, within one frame`() {
        let server = Self.answering()
        for size in [100_000, 500] {
            for _ in 0..<(1_000_000 / size) {
                server.session.append(ByteBuffer(repeating: 7, count: size), to: server.stream())
            }
        }
        var total = 0
        while total < 2_000_000 {
            let count = server.output(limit: 30_000).count
            #expect((1..<30_000 + 16_384 + 9).contains(count))
            guard count > 0 else { break }
            total += count
        }
        #expect(server.session.queuedByteCount(of: server.stream()) == 0)
        #expect((2_000_000..<2_003_000).contains(total))
    }

    @Test func `large buffers are not copied, small ones are`() throws {
        let server = Self.answering()
        let large = ByteBuffer(repeating: 7, count: 32 * 1024)
        let address = unsafe large.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) }
        server.session.append(ByteBuffer(string: "a"), to: server.stream())
        server.session.append(ByteBuffer(string: "b"), to: server.stream())
        server.session.append(large, to: server.stream())
        server.session.append(ByteBuffer(string: "c"), to: server.stream())
        server.session.end(server.stream())
        server.session.serialize(limit: .max)
        var pieces: [ByteBuffer] = []
        while let piece = server.session.nextOutput() { pieces.append(piece) }
        #expect(pieces.map(\.readableBytes) == [9 + 2 + 9, 16_384, 9, 16_384, 9 + 1])
        let addresses = pieces.map { unsafe $0.withUnsafeReadableBytes { UInt(bitPattern: $0.baseAddress) } }
        #expect(addresses[1] == address && addresses[3] == address + 16_384)
        let frames = Wire.frames(pieces.flatMap { Array($0.readableBytesView) })
        #expect(frames.map(\.payload.count) == [2, 16_384, 16_384, 1])
        #expect(frames.map(\.endsStream) == [false, false, false, true])
    }

    @Test func `content arrives unchanged, whatever the sizes of its pieces`() {
        let pair = Connection()
        pair.client.request()
        pair.exchange()
        pair.server.session.submitHead(.init([(":status", "200")]), to: pair.server.stream(), endsStream: false)
        var expected = ""
        for size in [1, 2047, 2048, 3, 16_383, 16_384, 16_385, 5, 40_000, 2049, 70_000, 1] {
            let text = String(repeating: "\(size % 10)", count: size)
            expected += text
            pair.server.session.append(ByteBuffer(string: text), to: pair.server.stream())
        }
        pair.server.session.end(pair.server.stream(), trailers: .init([("x", "y")]))
        let events = pair.exchange(limit: 5000).client
        let text = events.filter { $0.hasPrefix("data 1 ") }.map { $0.dropFirst(7) }.joined()
        #expect(text == expected)
        #expect(events.suffix(2) == ["trailers 1 x=y!", "closed 1 complete"])
    }

    @Test func `a full queue is reported, and so is its draining`() {
        let server = Self.answering(HTTP2Limits(queue: 8192..<32_768))
        #expect(server.session.append(ByteBuffer(repeating: 1, count: 32_768), to: server.stream()))
        #expect(!server.session.append(ByteBuffer(repeating: 1, count: 1), to: server.stream()))
        _ = server.output(limit: 1)
        #expect(server.events().isEmpty)
        _ = server.output(limit: 1)
        #expect(server.events() == ["drained 1"])
        _ = server.output()
        #expect(server.events().isEmpty)
    }

    @Test func `a closed window holds content back, and a window update releases it`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        server.answer(1, String(repeating: "a", count: 100_000))
        #expect(server.output().count == 9 + 4 + 4 * 9 + 65_535)
        #expect(server.session.queuedByteCount(of: server.stream()) == 100_000 - 65_535)
        server.read(Wire.frame(.windowUpdate, stream: 1, Wire.word(50_000)))
        #expect(server.output().isEmpty)
        server.read(Wire.frame(.windowUpdate, Wire.word(50_000)))
        #expect(server.frames().last?.endsStream == true)
        #expect(server.events() == ["drained 1", "closed 1 complete"])
    }

    @Test func `content queued for a cancelled stream reaches no other stream`() {
        let server = Self.answering()
        server.session.append(ByteBuffer(repeating: 1, count: 100), to: server.stream())
        server.read(Wire.reset(1) + Wire.request(stream: 3))
        _ = server.events()
        server.answer(3, "x")
        #expect(server.frames(.data).map(\.payload) == [Array("x".utf8)])
    }

    @Test func `a reset drops the queued content`() {
        let server = Self.answering()
        server.session.append(ByteBuffer(repeating: 1, count: 100_000), to: server.stream())
        _ = server.output(limit: 1)
        server.session.reset(server.stream(), .internalError)
        #expect(server.frames().map { [UInt32($0.type), $0.code] } == [[3, 2]])
        #expect(server.events() == ["closed 1 reset 2"])
    }
}
