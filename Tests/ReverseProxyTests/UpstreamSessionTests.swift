import HTTP2Sessions
import NIOCore
import NIOEmbedded
import NIOHPACK
import ProxySettings
import Testing

@testable import ReverseProxy

/// A session to an upstream, frame by frame and without a socket.
struct UpstreamSessionTests {
    private typealias Fixture = UpstreamSessionFixture

    private func fields(_ frame: HTTP2Peer.Frame?) throws -> HPACKHeaders {
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        var block = ByteBuffer(bytes: try #require(frame).payload)
        return try decoder.decodeHeaders(from: &block)
    }

    // MARK: Requests and responses

    @Test func `a response that arrives in one read is relayed in one part`() throws {
        let upstream = try Fixture()
        let lessee = ScriptedLessee()
        upstream.request(lessee)
        let request = try upstream.frames(.headers)
        #expect(request.count == 1 && request.first?.flags == 5)
        try upstream.agree()
        try upstream.receive(
            Fixture.head(1), Fixture.data(1, Array("one".utf8)), Fixture.data(1, Array("two".utf8)),
            Fixture.head(1, ends: true, [("grpc-status", "0")]))
        #expect(lessee.summary == "200 6 complete")
        #expect(lessee.parts == 1)
        #expect(lessee.trailers == "grpc-status: 0\r\n")
    }

    @Test func `preface, settings, head, content and trailers of a request go out in one write`() throws {
        let upstream = try Fixture()
        upstream.request(ScriptedLessee(), "POST", content: "hello", trailers: "x-sum: 1\r\nx-more: 2\r\n")
        upstream.settle()
        let bytes = try #require(try upstream.channel.readOutbound(as: ByteBuffer.self))
        #expect(try upstream.channel.readOutbound(as: ByteBuffer.self) == nil)
        #expect(String(decoding: bytes.readableBytesView, as: UTF8.self).contains("hello"))
    }

    @Test func `trailers end a request with content`() throws {
        let upstream = try Fixture()
        upstream.request(ScriptedLessee(), "POST", content: "hello", trailers: "x-sum: 1\r\nX-More: 2\r\n")
        let frames = try upstream.frames().filter { $0.stream == 1 }
        #expect(frames.map(\.type) == [1, 0, 1])
        #expect(frames.map { $0.flags & 1 } == [0, 0, 1])
        let trailers = try fields(frames.last)
        #expect(trailers.map { "\($0.name)=\($0.value)" } == ["x-sum=1", "x-more=2"])
    }

    @Test func `trailers end a request that has no content`() throws {
        let upstream = try Fixture()
        upstream.request(ScriptedLessee(), "POST", trailers: "x-sum: 1\r\n")
        let frames = try upstream.frames().filter { $0.stream == 1 && !$0.payload.isEmpty }
        #expect(frames.map(\.type) == [1, 1])
        #expect(frames.map { $0.flags & 1 } == [0, 1])
    }

    @Test func `sensitive fields are never indexed in HPACK`() throws {
        let upstream = try Fixture()
        upstream.request(
            ScriptedLessee(), fields: [("authorization", "Bearer secret"), ("cookie", "c=1"), ("x-other", "1")])
        let fields = try fields(try upstream.frames(.headers).first)
        let isSecret = Dictionary(fields.map { ($0.name, $0.indexable == .neverIndexed) }) { $0 && $1 }
        #expect(isSecret["authorization"] == true)
        #expect(isSecret["cookie"] == true)
        #expect(isSecret["x-other"] == false)
    }

    @Test func `a hundred requests one after another use one stream object, and no more memory`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        // Retained, so that no other stream object gets the same address.
        var streams: [UpstreamStream] = []
        var allocations: [Int] = []
        for number in 0..<100 {
            let lessee = ScriptedLessee()
            let stream = try #require(upstream.request(lessee, "POST", content: "hello"))
            streams.append(stream)
            let id = UInt32(2 * number + 1)
            #expect(try upstream.frames(.headers).map(\.stream) == [id])
            try upstream.receive(
                Fixture.head(id), Fixture.data(id, Array("ok".utf8)),
                Fixture.head(id, ends: true, [("grpc-status", "0")]))
            #expect(lessee.summary == "200 2 complete")
            allocations.append(upstream.loop.http2Storage.libraryAllocations)
        }
        #expect(Set(streams.map(ObjectIdentifier.init)).count == 1)
        #expect(Set(allocations.dropFirst(2)).count == 1, "\(allocations)")
    }

    @Test func `a request that begins as another ends has a new stream`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let (first, second) = (ScriptedLessee(), ScriptedLessee())
        let stream = upstream.request(first)
        first.whenRelayed = { _ in #expect(upstream.request(second) !== stream) }
        _ = try upstream.frames()
        try upstream.receive(Fixture.head(1, ends: true))
        #expect(try upstream.frames(.headers).map(\.stream) == [3])
        try upstream.receive(Fixture.head(3, ends: true, [(":status", "204")]))
        #expect(first.summary == "200 complete")
        #expect(second.summary == "204 complete")
    }

    // MARK: Clients that are slow

    private static let half = [UInt8](repeating: 7, count: 16_000)

    @Test func `unread responses are bounded by their stream windows, and delay no other stream`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let slow = (0..<20).map { _ in ScriptedLessee() }
        for lessee in slow {
            lessee.isWritable = false
            upstream.request(lessee)
        }
        let quick = ScriptedLessee()
        upstream.request(quick)
        _ = try upstream.frames()
        for index in slow.indices {
            let id = UInt32(2 * index + 1)
            try upstream.receive(Fixture.head(id))
            for _ in 0..<4 { try upstream.receive(Fixture.data(id, Self.half)) }
        }
        // All stream windows are used up: 1.28 MB.
        #expect(try upstream.frames(.windowUpdate).filter { $0.stream != 0 }.isEmpty)
        #expect(slow.allSatisfy { $0.summary == "200" })
        try upstream.receive(Fixture.head(41))
        var window = 65_535
        for _ in 0..<100 {
            #expect(window >= Self.half.count)
            try upstream.receive(Fixture.data(41, Self.half))
            window -= Self.half.count
            for frame in try upstream.frames(.windowUpdate) where frame.stream == 41 {
                window += Int(frame.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
            }
        }
        try upstream.receive(Fixture.data(41, ends: true, [1]))
        #expect(quick.summary == "200 1600001 complete")
        // The slow clients continue where they stopped.
        for (index, lessee) in slow.enumerated() {
            lessee.isWritable = true
            lessee.carrier?.resumeReading()
            #expect(lessee.content.count == 64_000)
            let id = UInt32(2 * index + 1)
            #expect(try upstream.frames(.windowUpdate).contains { $0.stream == id })
            try upstream.receive(Fixture.data(id, ends: true, [1]))
            #expect(lessee.summary == "200 64001 complete")
        }
    }

    @Test func `a slow client gets a response received long ago completely, with its trailers`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let (slow, next) = (ScriptedLessee(), ScriptedLessee())
        slow.isWritable = false
        upstream.request(slow)
        _ = try upstream.frames()
        try upstream.receive(
            Fixture.head(1), Fixture.data(1, Array("first".utf8)), Fixture.data(1, Array("second".utf8)))
        try upstream.receive(Fixture.head(1, ends: true, [("x-sum", "1")]))
        #expect(slow.summary == "200")
        // The stream has ended, but its object is not reused.
        upstream.request(next)
        _ = try upstream.frames()
        try upstream.receive(Fixture.head(3, ends: true, [(":status", "204")]))
        #expect(next.summary == "204 complete")
        // The response does not need the connection either.
        try upstream.channel.close().wait()
        upstream.settle()
        slow.isWritable = true
        slow.carrier?.resumeReading()
        #expect(String(decoding: slow.content, as: UTF8.self) == "firstsecond")
        #expect(slow.isComplete)
        #expect(slow.trailers == "x-sum: 1\r\n")
        #expect(upstream.pool.takeStream() !== upstream.pool.takeStream())
    }

    @Test func `a slow client sees that its response broke off`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let slow = ScriptedLessee()
        slow.isWritable = false
        upstream.request(slow)
        _ = try upstream.frames()
        try upstream.receive(Fixture.head(1), Fixture.data(1, Array("first".utf8)), Fixture.reset(1, 2))
        #expect(slow.summary == "200 \(UpstreamFailure.truncated)")
    }

    // MARK: Upstreams that are slow

    @Test func `an upload waits for the upstream's window, and then continues`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let lessee = ScriptedLessee()
        let stream = try #require(upstream.request(lessee, "POST", ends: false))
        var sent = 0
        while stream.isWritable, sent < 1 << 20 {
            stream.send(ByteBuffer(bytes: Self.half), framing: .plain, ends: false, trailers: [])
            sent += Self.half.count
            upstream.settle()
        }
        // The stream window plus what may be buffered.
        #expect(sent < 65_535 + 3 * Self.half.count + FixedLimits.writeBuffer.upperBound)
        #expect(lessee.roomReports == 0)
        var received = try upstream.frames(.data).reduce(0) { $0 + $1.payload.count }
        #expect(received == 65_535)
        try upstream.receive(Fixture.window(0, 1 << 20), Fixture.window(1, 1 << 20))
        received += try upstream.frames(.data).reduce(0) { $0 + $1.payload.count }
        #expect(received == sent)
        #expect(lessee.roomReports == 1 && stream.isWritable)
        stream.send(nil, framing: .plain, ends: true, trailers: [])
        #expect(try upstream.frames(.data).last?.flags == 1)
    }

    @Test func `an upstream that reads nothing is sent no more than its socket takes`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        _ = try upstream.frames()
        upstream.channel.isWritable = false
        let lessees = (0..<FixedLimits.upstreamStreams).map { _ in ScriptedLessee() }
        for lessee in lessees { #expect(upstream.request(lessee) != nil) }
        #expect(upstream.request(ScriptedLessee()) == nil)
        #expect(try upstream.frames().isEmpty)
        // All requests are cancelled: nothing is left to send, so the connection closes.
        for lessee in lessees {
            lessee.carrier?.doubtSession()
            lessee.carrier?.abandon()
        }
        #expect(try upstream.frames().isEmpty)
        #expect(!upstream.channel.isActive)
    }

    @Test func `queued bytes are sent when the socket takes them`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        _ = try upstream.frames()
        upstream.channel.isWritable = false
        upstream.request(ScriptedLessee())
        #expect(try upstream.frames().isEmpty)
        upstream.channel.isWritable = true
        upstream.channel.pipeline.fireChannelWritabilityChanged()
        #expect(try upstream.frames(.headers).count == 1)
    }

    // MARK: Clients that leave

    @Test func `a request that is cancelled before it was sent is never sent`() throws {
        let upstream = try Fixture()
        let (leaving, staying) = (ScriptedLessee(), ScriptedLessee())
        let stream = upstream.request(leaving, "POST", content: "secret", ends: false)
        upstream.request(staying)
        stream?.abandon()
        let frames = try upstream.frames()
        #expect(frames.filter { $0.type == 1 }.map(\.stream) == [3])
        #expect(!frames.contains { $0.stream == 1 && $0.type != 3 })
        try upstream.agree()
        try upstream.receive(Fixture.head(3, ends: true))
        #expect(staying.summary == "200 complete")
        #expect(leaving.summary == "")
    }

    @Test func `a cancelled request resets its stream, whatever was received of its response`() throws {
        for received in [[], [Fixture.head(1)], [Fixture.head(1), Fixture.data(1, [1])]] {
            let upstream = try Fixture()
            try upstream.agree()
            let lessee = ScriptedLessee()
            let stream = upstream.request(lessee)
            _ = try upstream.frames()
            for frame in received { try upstream.receive(frame) }
            stream?.abandon()
            let resets = try upstream.frames(.resetStream)
            #expect(resets.map(\.stream) == [1])
            #expect(resets.first?.payload == [0, 0, 0, 8])
            // Frames that were on their way are dropped.
            let heard = lessee.summary
            try upstream.receive(Fixture.data(1, ends: true, [1]))
            #expect(lessee.summary == heard)
            #expect(upstream.channel.isActive)
        }
    }

    @Test func `a client that disconnects while its response is relayed gets no further part`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let (leaving, staying) = (ScriptedLessee(), ScriptedLessee())
        leaving.whenRelayed = { lessee in
            lessee.carrier?.abandon()
            lessee.carrier = nil
        }
        upstream.request(leaving)
        upstream.request(staying)
        _ = try upstream.frames()
        let part = [UInt8](repeating: 1, count: 10_000)
        try upstream.receive(
            Fixture.head(1), Fixture.data(1, part), Fixture.data(1, part), Fixture.head(3), Fixture.data(1, part),
            Fixture.data(3, ends: true, part), Fixture.data(1, ends: true, part))
        #expect(leaving.parts == 1)
        #expect(staying.summary == "200 10000 complete")
        #expect(upstream.pool.openStream() != nil)
    }

    @Test func `a session with too many resets takes no new requests`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let staying = ScriptedLessee()
        upstream.request(staying)
        for number in 1...FixedLimits.sessionResets {
            let stream = try #require(upstream.request(ScriptedLessee()))
            _ = try upstream.frames()
            stream.abandon()
            #expect(try upstream.frames(.resetStream).map(\.stream) == [UInt32(2 * number + 1)])
        }
        #expect(upstream.pool.openStream() == nil)
        #expect(upstream.channel.isActive)
        try upstream.receive(Fixture.head(1, ends: true))
        #expect(staying.summary == "200 complete")
        upstream.settle()
        #expect(!upstream.channel.isActive)
    }

    @Test func `a request that is answered before its end is cut off, and the session continues`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let lessee = ScriptedLessee()
        let stream = try #require(upstream.request(lessee, "POST", content: "hello", ends: false))
        _ = try upstream.frames()
        try upstream.receive(Fixture.head(1), Fixture.data(1, ends: true, Array("no".utf8)))
        #expect(lessee.summary == "200 2 complete")
        #expect(try upstream.frames(.resetStream).first?.payload == [0, 0, 0, 8])
        // Further body bytes of the request are dropped.
        stream.send(ByteBuffer(string: "more"), framing: .plain, ends: true, trailers: [])
        #expect(try upstream.frames().isEmpty)
        #expect(upstream.request(ScriptedLessee()) != nil)
    }

    @Test func `an idle session is closed in time, and a session in use is not`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let lessee = ScriptedLessee()
        upstream.request(lessee)
        _ = try upstream.frames()
        upstream.session.expire(at: .max)
        #expect(try upstream.frames().isEmpty && upstream.channel.isActive)
        try upstream.receive(Fixture.head(1, ends: true))
        upstream.session.expire(at: upstream.loop.clock.tick)
        #expect(try upstream.frames().isEmpty && upstream.channel.isActive)
        upstream.session.expire(at: .max - 1)
        upstream.settle()
        #expect(!upstream.channel.isActive)
        #expect(upstream.pool.openStream() == nil)
    }

    // MARK: Hostile upstreams

    /// Frames that an upstream sends in answer to the first of two requests, and the results.
    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let frames: [[UInt8]]
        let summary: String
        /// Result of the first request if all frames arrive in one read.
        let atOnce: String
        /// Result of the other request, which is answered afterwards.
        let other: String

        init(
            _ description: String, _ frames: [[UInt8]], _ summary: String, atOnce: String? = nil,
            other: String = "200 complete"
        ) {
            testDescription = description
            self.frames = frames
            self.summary = summary
            self.atOnce = atOnce ?? summary
            self.other = other
        }
    }

    private static let unanswered = "\(UpstreamFailure.closed(isReused: true, responseBegan: false))"
    private static let begun = "\(UpstreamFailure.closed(isReused: true, responseBegan: true))"

    static let attacks = [
        Attack("a reset before the head", [Fixture.reset(1, 2)], unanswered),
        Attack(
            "a reset behind an interim head", [Fixture.head(1, [(":status", "103")]), Fixture.reset(1, 2)],
            "103 \(begun)"),
        Attack("a reset behind the head", [Fixture.head(1), Fixture.reset(1, 8)], "200 truncated"),
        Attack(
            "a reset behind content", [Fixture.head(1), Fixture.data(1, [1]), Fixture.reset(1, 0)], "200 1 truncated"),
        Attack(
            "a reset behind the end", [Fixture.head(1), Fixture.data(1, ends: true, [1]), Fixture.reset(1, 0)],
            "200 1 complete"),
        Attack("a refusal", [Fixture.reset(1, 7)], "notProcessed"),
        Attack("a refusal behind the head", [Fixture.head(1), Fixture.reset(1, 7)], "200 truncated"),
        // The library treats this as a connection error.
        Attack("DATA before HEADERS", [Fixture.data(1, [1])], unanswered, other: unanswered),
        Attack(
            "DATA behind an interim head", [Fixture.head(1, [(":status", "100")]), Fixture.data(1, [1])],
            "100 invalidResponse"),
        Attack("HEADERS twice", [Fixture.head(1), Fixture.head(1)], "200 invalidResponse"),
        Attack("trailers that do not end", [Fixture.head(1), Fixture.head(1, [("a", "b")])], "200 invalidResponse"),
        Attack("trailers with a status", [Fixture.head(1), Fixture.head(1, ends: true)], "200 invalidResponse"),
        Attack(
            "trailers with a connection field",
            [Fixture.head(1), Fixture.head(1, ends: true, [("te", "x"), ("connection", "x")])],
            "200 invalidResponse"),
        Attack("trailers as a head", [Fixture.head(1, ends: true, [("grpc-status", "0")])], "invalidResponse"),
        Attack("101", [Fixture.head(1, [(":status", "101")])], "invalidResponse"),
        Attack("an interim head that ends", [Fixture.head(1, ends: true, [(":status", "103")])], "invalidResponse"),
        Attack("a status with four digits", [Fixture.head(1, [(":status", "2000")])], "invalidResponse"),
        Attack("no status", [Fixture.head(1, [("x", "y")])], "invalidResponse"),
        Attack(
            "eleven interim heads", Array(repeating: Fixture.head(1, [(":status", "103")]), count: 11),
            String(repeating: "103 ", count: 10) + "invalidResponse"),
        Attack(
            "less than was announced",
            [Fixture.head(1, [(":status", "200"), ("content-length", "5")]), Fixture.data(1, ends: true, [1])],
            "200 1 invalidResponse"),
        Attack(
            "more than was announced",
            [Fixture.head(1, [(":status", "200"), ("content-length", "1")]), Fixture.data(1, [1, 2, 3])],
            "200 invalidResponse"),
        Attack(
            "content of 204", [Fixture.head(1, [(":status", "204")]), Fixture.data(1, ends: true, [1])],
            "204 invalidResponse"),
        Attack(
            "content of 304", [Fixture.head(1, [(":status", "304")]), Fixture.data(1, ends: true, [1])],
            "304 invalidResponse"),
        Attack(
            "201 fields", [Fixture.head(1, [(":status", "200")] + (0...200).map { ("x-\($0)", "1") })],
            "invalidResponse"),
        Attack(
            "300 fields", [Fixture.head(1, [(":status", "200")] + (0..<300).map { ("x-\($0)", "1") })],
            "invalidResponse"),
        Attack(
            "1100 fields", [Fixture.head(1, [(":status", "200")] + (0..<1100).map { ("x-\($0)", "1") })],
            "invalidResponse"),
        Attack(
            "101 trailers and more",
            [Fixture.head(1), Fixture.head(1, ends: true, (0...200).map { ("x-\($0)", "1") })],
            "200 invalidResponse", atOnce: "invalidResponse"),
        Attack(
            "a line end in a value", [Fixture.head(1, [(":status", "200"), ("x", "a\r\nset-cookie: b")])],
            "invalidResponse"),
        Attack(
            "PUSH_PROMISE",
            [HTTP2Peer.frame(.pushPromise, flags: 4, stream: 1, [0, 0, 0, 2] + HTTP2Peer.block(HTTP2Peer.usual))],
            unanswered, other: unanswered),
        Attack("a stream that nobody began", [Fixture.head(9)], unanswered, other: unanswered),
        Attack("GOAWAY before the first", [Fixture.goAway(last: 0)], "notProcessed", other: "notProcessed"),
        Attack(
            "GOAWAY at the first, then its answer", [Fixture.goAway(last: 3), Fixture.head(1, ends: true)],
            "200 complete"),
        Attack(
            "GOAWAY behind the head", [Fixture.head(1), Fixture.goAway(last: 3), Fixture.data(1, ends: true, [1])],
            "200 1 complete"),
        Attack(
            "GOAWAY that takes the head back", [Fixture.head(1), Fixture.goAway(last: 0)], "200 truncated",
            other: "notProcessed"),
        Attack(
            "a broken table", [HTTP2Peer.frame(.headers, flags: 4, stream: 1, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF])],
            unanswered,
            other: unanswered),
        Attack("another protocol", [Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8)], unanswered, other: unanswered),
    ]

    @Test(arguments: attacks, [false, true])
    func `a stream error fails one request, and a connection error fails all of them`(
        attack: Attack, atOnce: Bool
    ) throws {
        let upstream = try Fixture()
        try upstream.agree()
        let (attacked, other) = (ScriptedLessee(), ScriptedLessee())
        upstream.request(attacked)
        upstream.request(other)
        _ = try upstream.frames()
        if atOnce {
            try upstream.receive(attack.frames.flatMap(\.self))
        } else {
            for frame in attack.frames { try upstream.receive(frame) }
        }
        upstream.settle()
        #expect(attacked.summary == (atOnce ? attack.atOnce : attack.summary))
        #expect(upstream.channel.isActive == (attack.other == "200 complete"))
        try upstream.receive(Fixture.head(3, ends: true))
        #expect(other.summary == attack.other)
        // Nothing waits for the session any more.
        upstream.session.end()
        upstream.settle()
        #expect(!upstream.channel.isActive)
    }

    /// An upstream that closes after each possible number of response bytes.
    @Test func `a response that is cut off at any byte is complete or has failed`() throws {
        let response = [
            Fixture.head(1, [(":status", "103")]), Fixture.head(1), Fixture.data(1, Array("hello".utf8)),
            Fixture.head(1, ends: true, [("grpc-status", "0")]),
        ].flatMap(\.self)
        var summaries: [String] = []
        for count in 0...response.count {
            let upstream = try Fixture()
            try upstream.agree()
            let lessee = ScriptedLessee()
            upstream.request(lessee)
            _ = try upstream.frames()
            for byte in response.prefix(count) { try upstream.receive([byte]) }
            try upstream.channel.close().wait()
            upstream.settle()
            #expect(lessee.isComplete == (count == response.count))
            #expect(lessee.failures.count == (lessee.isComplete ? 0 : 1))
            if summaries.last != lessee.summary { summaries.append(lessee.summary) }
        }
        #expect(summaries.first == Self.unanswered)
        #expect(summaries.last == "103 200 5 complete")
        #expect(summaries.contains("103 \(Self.begun)"))
        #expect(summaries.contains("103 200 truncated"))
    }

    @Test func `GOAWAY fails requests unknown to the upstream, and the session closes after the known ones`()
        throws
    {
        let upstream = try Fixture()
        try upstream.agree()
        let (known, unknown, unsent) = (ScriptedLessee(), ScriptedLessee(), ScriptedLessee())
        upstream.request(known)
        upstream.request(unknown, "POST", content: "hello", ends: false)
        _ = try upstream.frames()
        // Begun in the same round, and not sent any more.
        upstream.request(unsent)
        try upstream.receive(Fixture.goAway(last: 1))
        #expect(try upstream.frames(.headers).isEmpty)
        #expect(unknown.summary == "notProcessed")
        #expect(unsent.summary == "notProcessed")
        #expect(upstream.pool.openStream() == nil)
        #expect(upstream.channel.isActive)
        try upstream.receive(Fixture.head(1), Fixture.data(1, ends: true, [1]))
        #expect(known.summary == "200 1 complete")
        upstream.settle()
        #expect(!upstream.channel.isActive)
    }

    @Test func `a session sends no more concurrent requests than the upstream allows`() throws {
        let upstream = try Fixture()
        try upstream.agree([0, 3, 0, 0, 0, 2])
        #expect(upstream.request(ScriptedLessee()) != nil)
        #expect(upstream.request(ScriptedLessee()) != nil)
        #expect(upstream.request(ScriptedLessee()) == nil)
        try upstream.receive(HTTP2Peer.frame(.settings, stream: 0, [0, 3, 0, 0, 0, 3]))
        #expect(upstream.request(ScriptedLessee()) != nil)
    }

    // MARK: Limits that fall

    private static func limit(_ streams: UInt8) -> [UInt8] {
        HTTP2Peer.frame(.settings, stream: 0, [0, 3, 0, 0, 0, streams])
    }

    @Test func `a request over a lowered stream limit was not processed, and the session continues`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let (first, second, third) = (ScriptedLessee(), ScriptedLessee(), ScriptedLessee())
        upstream.request(first)
        _ = try upstream.frames()
        // Begun in the round in which the settings arrive.
        upstream.request(second, "POST", content: "hello")
        try upstream.receive(Self.limit(1))
        #expect(try upstream.frames().map(\.type) == [4])
        #expect(second.summary == "notProcessed")
        #expect(upstream.pool.openStream() == nil)
        try upstream.receive(Fixture.head(1, ends: true))
        #expect(first.summary == "200 complete")
        upstream.request(third)
        #expect(try upstream.frames(.headers).map(\.stream) == [5])
        #expect(upstream.channel.isActive)
    }

    @Test func `a client that disconnects while its request is held back leaves the session unharmed`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        upstream.request(ScriptedLessee())
        _ = try upstream.frames()
        let held = upstream.request(ScriptedLessee())
        try upstream.receive(Self.limit(1))
        held?.abandon()
        #expect(try upstream.frames().map(\.type) == [4])
        try upstream.receive(Self.limit(2))
        #expect(upstream.request(ScriptedLessee()) === held)
        #expect(try upstream.frames(.headers).map(\.stream) == [5])
    }

    @Test func `a stream limit of 0 closes an idle session at once`() throws {
        let upstream = try Fixture()
        try upstream.agree([0, 3, 0, 0, 0, 0])
        upstream.settle()
        #expect(!upstream.channel.isActive)
        #expect(upstream.pool.openStream() == nil)
    }

    @Test func `a stream limit of 0 closes a session after its last answer, whatever limit follows`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let (sent, refused, unsent) = (ScriptedLessee(), ScriptedLessee(), ScriptedLessee())
        upstream.request(sent)
        upstream.request(refused)
        _ = try upstream.frames()
        upstream.request(unsent)
        try upstream.receive(Self.limit(0))
        upstream.settle()
        #expect(unsent.summary == "\(UpstreamFailure.takesNoRequests(isAsked: true))")
        try upstream.receive(Self.limit(100))
        #expect(upstream.pool.openStream() == nil)
        try upstream.receive(Fixture.reset(3, 7))
        #expect(refused.summary == "\(UpstreamFailure.takesNoRequests(isAsked: true))")
        upstream.settle()
        #expect(upstream.channel.isActive)
        try upstream.receive(Fixture.head(1), Fixture.data(1, ends: true, [1]))
        #expect(sent.summary == "200 1 complete")
        upstream.settle()
        #expect(!upstream.channel.isActive)
    }

    @Test func `at the end of a connection unwritten requests were not processed, and written ones may have been`()
        throws
    {
        let upstream = try Fixture()
        try upstream.agree()
        let (sent, unsent) = (ScriptedLessee(), ScriptedLessee())
        upstream.request(sent, "POST", content: "hello")
        _ = try upstream.frames()
        upstream.request(unsent, "POST", content: "hello")
        upstream.channel.close(promise: nil)
        upstream.settle()
        #expect(sent.summary == Self.unanswered)
        #expect(unsent.summary == "notProcessed")
    }

    @Test func `sessions that take no requests pause connecting to their target, unless one has answered`()
        throws
    {
        let upstream = try Fixture()
        for number in 0..<FixedLimits.refusingSessions {
            #expect(upstream.pool.mayConnect(at: 0))
            // The last session took requests before, but answered none.
            try upstream.begin(
                settings: number == 2 ? [[0, 3, 0, 0, 0, 9], [0, 3, 0, 0, 0, 0]] : [[0, 3, 0, 0, 0, 0]])
        }
        #expect(!upstream.pool.mayConnect(at: EventLoopClock.now()))
        let answering = try Fixture()
        for _ in 0..<10 {
            try answering.begin(settings: [])
            let lessee = ScriptedLessee()
            answering.request(lessee)
            _ = try answering.frames()
            try answering.receive(Fixture.head(1, ends: true), Self.limit(0))
            #expect(lessee.summary == "200 complete")
            answering.settle()
            #expect(!answering.channel.isActive)
        }
        #expect(answering.pool.mayConnect(at: EventLoopClock.now()))
    }

    @Test func `a HEAD's response has no content, whatever its length`() throws {
        let upstream = try Fixture()
        try upstream.agree()
        let lessee = ScriptedLessee()
        upstream.request(lessee, "HEAD", terms: LeaseTerms(requestIsHEAD: true))
        _ = try upstream.frames()
        try upstream.receive(Fixture.head(1, ends: true, [(":status", "200"), ("content-length", "5")]))
        #expect(lessee.summary == "200 complete")
    }
}
