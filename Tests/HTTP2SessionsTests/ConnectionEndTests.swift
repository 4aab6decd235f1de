import NIOCore
import Testing

@testable import HTTP2Sessions

/// Ends of connections: by protocol error, by a limit, and by shutdown.
struct ConnectionEndTests {
    /// Expects a GOAWAY, an event, and nothing more to read or write.
    private static func expectEnd(_ server: ServerEnd, code: UInt32, sourceLocation: SourceLocation = #_sourceLocation)
    {
        let frames = server.frames()
        #expect(frames.last?.type == 7 && frames.last?.code == code, sourceLocation: sourceLocation)
        #expect(server.events().last == "failed \(code)", sourceLocation: sourceLocation)
        #expect(server.session.isFinished, sourceLocation: sourceLocation)
        server.read(Wire.request(stream: 99))
        #expect(server.events().isEmpty && server.frames().isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: ["GET / HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\rX"])
    func `bytes that are no preface fail the connection`(text: String) {
        let server = ServerEnd(begins: false)
        server.read(Array(text.utf8))
        Self.expectEnd(server, code: 1)
    }

    @Test func `a preface without settings fails the connection`() {
        let server = ServerEnd(begins: false)
        server.read(Wire.preface + Wire.ping())
        Self.expectEnd(server, code: 1)
    }

    @Test(
        arguments: [
            (Wire.frame(.ping, [1]), 6), (Wire.frame(.data, stream: 0, [1]), 1),
            (Wire.frame(.headers, flags: 5, stream: 2), 1),
            (Wire.frame(.settings, flags: 1), 1), (Wire.frame(.settings, stream: 1), 1),
            (Wire.frame(.settings, [1]), 6),
            (Wire.frame(.windowUpdate, [0, 0, 0, 0]), 1), (Wire.frame(.windowUpdate, [0x7F, 255, 255, 255]), 3),
            (Wire.frame(.continuation, flags: 4, stream: 1), 1), (Wire.frame(.data, stream: 1, [1]), 1),
            (Wire.frame(.headers, stream: 1) + Wire.ping(), 1), (Wire.frame(.headers, flags: 5, stream: 1, [0xFF]), 9),
            (Wire.frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2]), 1), (Wire.reset(1), 1),
            (Wire.frame(.ping, [UInt8](repeating: 0, count: 16_385)), 6),
        ] as [([UInt8], UInt32)])
    func `an invalid frame fails the connection with its error code`(frame: [UInt8], code: UInt32) {
        let server = ServerEnd()
        server.read(frame)
        Self.expectEnd(server, code: code)
    }

    @Test func `content beyond the stream's window resets the stream, beyond the connection's window the connection`() {
        let server = ServerEnd()
        server.consumes = false
        let content = { (stream: UInt32) in Wire.frame(.data, stream: stream, [UInt8](repeating: 1, count: 16_384)) }
        server.read(Wire.request(Wire.post, ends: false))
        for _ in 0..<4 { server.read(content(1)) }
        _ = server.events()
        #expect(server.frames().map { [UInt32($0.type), $0.code] } == [[3, 3]])
        #expect(server.events() == ["closed 1 malformed 3"])
        let other = ServerEnd()
        other.consumes = false
        for stream in stride(from: UInt32(1), to: 11, by: 2) {
            other.read(Wire.request(Wire.post, stream: stream, ends: false))
            for _ in 0..<3 { other.read(content(stream)) }
            other.read(Wire.frame(.data, stream: stream, [UInt8](repeating: 1, count: 16_383)))
            if !other.session.hasFailed { _ = other.events() }
        }
        Self.expectEnd(other, code: 3)
    }

    @Test func `requests before an invalid frame are reported, and requests after it are not`() {
        let server = ServerEnd()
        server.read(Wire.request() + Wire.frame(.ping, [1]) + Wire.request(stream: 3))
        #expect(server.events() == ["head 1 :method=GET :scheme=http :path=/a :authority=api.example end"])
        Self.expectEnd(server, code: 6)
    }

    @Test func `a second head after the end of the request fails the connection with STREAM_CLOSED`() {
        let server = ServerEnd()
        server.read(Wire.request() + Wire.request())
        #expect(server.events().count == 1)
        let frames = server.frames()
        #expect(frames.map { [UInt32($0.type), $0.code] } == [[7, 5]])
    }

    @Test(arguments: [Wire.request(), Wire.frame(.data, flags: 1, stream: 1, [1])], [false, true])
    func `a frame after the end of a stream is STREAM_CLOSED, and ignored if we reset the stream`(
        frame: [UInt8], isReset: Bool
    ) {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        if isReset { server.session.reset(server.stream(), .cancel) } else { server.answer() }
        _ = server.frames()
        _ = server.events()
        server.read(frame + Wire.request(stream: 3))
        #expect(server.events().map { $0.prefix(6) } == ["head 3"])
        #expect(server.frames().map { [UInt32($0.type), $0.stream, $0.code] } == (isReset ? [] : [[3, 1, 5]]))
    }

    @Test func `a skipped stream number cannot be used later`() {
        let server = ServerEnd()
        server.read(Wire.request(stream: 5))
        _ = server.events()
        server.read(Wire.request(stream: 3))
        Self.expectEnd(server, code: 1)
    }

    // MARK: Streams beyond the limit

    @Test(arguments: [false, true])
    func `a stream beyond the limit is refused, whether our settings are acknowledged or not`(
        isAcknowledged: Bool
    ) {
        let server = ServerEnd(limits: HTTP2Limits(concurrentStreams: 2), begins: false)
        server.read(Wire.preface + Wire.frame(.settings) + (isAcknowledged ? Wire.frame(.settings, flags: 1) : []))
        #expect(server.frames(.settings).first?.payload.prefix(6) == [0, 3, 0, 0, 0, 2])
        _ = server.events()
        server.read(Wire.request() + Wire.request(stream: 3) + Wire.request(stream: 5))
        #expect(server.events().map { $0.prefix(7) } == ["head 1 ", "head 3 ", "refused"])
        #expect(server.frames() == [.init(type: 3, stream: 5, payload: Wire.word(7))])
        server.answer(1)
        _ = server.frames()
        server.read(Wire.request(stream: 7))
        #expect(server.events().last?.hasPrefix("head 7") == true)
    }

    @Test func `a hundred malformed requests in one read do not fail the connection`() {
        let server = ServerEnd()
        server.read(
            (0..<100).flatMap { Wire.request(Wire.get + [("X", "y")], stream: 2 * $0 + 1) } + Wire.request(stream: 201))
        #expect(server.events() == ["refused 7"])
        #expect(server.frames().filter { $0.code == 1 }.count == 100)
        #expect(server.events() == Array(repeating: "refused 1", count: 100))
        server.read(Wire.request(stream: 203))
        #expect(server.events().count == 1)
        #expect(!server.session.hasFailed)
    }

    // MARK: In peace

    @Test func `a draining connection accepts requests on their way, answers open ones, and closes`() {
        let server = ServerEnd()
        server.read(Wire.request())
        _ = server.events()
        server.session.submitShutdownNotice()
        server.session.ping(0x6265_6172_7761_7264)
        let frames = server.frames()
        #expect(Set(frames.map(\.type)) == [6, 7])
        #expect(frames.first { $0.type == 7 }?.payload == [0x7F, 255, 255, 255, 0, 0, 0, 0])
        #expect(frames.first { $0.type == 6 }?.payload == Array("bearward".utf8))
        server.read(Wire.request(stream: 3) + Wire.frame(.ping, flags: 1, Array("bearward".utf8)))
        #expect(server.events().map { $0.prefix(6) } == ["head 3", "ping 7"])
        server.session.submitGoAway()
        #expect(server.frames().map(\.payload) == [[0, 0, 0, 3, 0, 0, 0, 0]])
        server.read(Wire.request(stream: 5))
        #expect(server.events().isEmpty)
        server.answer(1)
        #expect(!server.session.isFinished)
        server.answer(3, "last")
        _ = server.frames()
        #expect(server.session.isFinished)
        #expect(!server.session.hasFailed)
    }

    @Test func `after the client's GOAWAY its requests are answered, and the connection finishes`() {
        let server = ServerEnd()
        server.read(Wire.request() + Wire.frame(.goAway, [0, 0, 0, 0, 0, 0, 0, 0]))
        #expect(server.events().last == "goaway 0 0")
        server.answer()
        #expect(server.frames().map(\.type) == [1])
        #expect(server.session.isFinished)
    }
}
