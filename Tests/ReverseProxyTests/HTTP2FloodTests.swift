import NIOCore
import NIOHPACK
import ProxySettings
import Testing

@testable import ReverseProxy

/// Denial of service over HTTP/2: clients that cause more work than they do themselves (RFC 9113 §10.5).
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTP2FloodTests {
    private static func settings() -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        return settings
    }

    private static let refused = [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")]
    private static let enhanceYourCalm: UInt32 = 11

    /// Sends until the gateway closes the connection, and returns the peer.
    ///
    /// - Parameter limit: maximum number of sends until then.
    private func flood(_ gateway: GatewayFixture, limit: Int, _ send: (HTTP2Peer, Int) async throws -> Void)
        async throws -> HTTP2Peer
    {
        let client = try await HTTP2Peer.connect(gateway)
        for count in 0..<limit {
            if client.peer.hasEnded { break }
            try await send(client, count)
        }
        #expect(try await client.peer.ends())
        try await eventually { gateway.gateway.openConnections == 0 && gateway.gateway.requestsInFlight == 0 }
        return client
    }

    /// The error code of the GOAWAY among the received frames.
    private func goAway(_ client: HTTP2Peer) -> UInt32? {
        var bytes = client.peer.bytes[...]
        var code: UInt32?
        while bytes.count >= 9 {
            let head = Array(bytes.prefix(9))
            let length = Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2])
            let payload = bytes.dropFirst(9).prefix(length)
            if head[3] == 7 { code = payload.dropFirst(4).prefix(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
            bytes = bytes.dropFirst(9 + length)
        }
        return code
    }

    // MARK: T437

    @Test(arguments: [
        (HTTP2Peer.FrameType.ping, UInt8(0), UInt32(0), [UInt8](repeating: 1, count: 8)),
        (.settings, 0, 0, [0, 3, 0, 0, 0, 100]), (.settings, 0, 0, []), (.priority, 0, 1, [0, 0, 0, 0, 16]),
    ])
    func `T437 too many control frames close the connection`(
        type: HTTP2Peer.FrameType, flags: UInt8, stream: UInt32, payload: [UInt8]
    ) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await flood(gateway, limit: 400) { client, _ in
                client.send(type, flags: flags, stream: stream, payload)
            }
            #expect(goAway(client) == Self.enhanceYourCalm)
        }
    }

    @Test func `T437 too many requests that are reset at once close the connection`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await flood(gateway, limit: 400) { client, count in
                client.request(stream: UInt32(2 * count + 1))
                client.send(.resetStream, stream: UInt32(2 * count + 1), [0, 0, 0, 8])
            }
            #expect(goAway(client) == Self.enhanceYourCalm)
            #expect(gateway.upstream.connectionCount <= 400)
        }
    }

    @Test(arguments: ["window", "priority", "length"])
    func `T437 too many streams that the gateway is made to reset close the connection`(how: String) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await flood(gateway, limit: 400) { client, count in
                let stream = UInt32(2 * count + 1)
                let post = [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")]
                switch how {
                case "window":
                    client.request(stream: stream)
                    client.send(.windowUpdate, stream: stream, [0x7F, 0xFF, 0xFF, 0xFF])
                case "priority":
                    client.request(post, stream: stream, ends: false)
                    client.send(.priority, stream: stream, [0, 0, 0, UInt8(truncatingIfNeeded: stream), 16])
                default:
                    client.request(post + [("content-length", "1")], stream: stream, ends: false)
                    client.send(.data, flags: 1, stream: stream, [1, 2, 3])
                }
            }
            _ = client
        }
    }

    @Test func `T437 too many empty DATA frames close the connection`() async throws {
        try await withGateway(Self.settings()) { gateway in
            _ = try await flood(gateway, limit: 400) { client, count in
                if count == 0 {
                    client.request(
                        [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")], ends: false)
                }
                client.send(.data, stream: 1)
            }
        }
    }

    // MARK: T438, T439

    @Test func `T438 an endless head is not buffered beyond its limit`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let fragment = HTTP2Peer.block([("x", String(repeating: "y", count: 8000))])
            _ = try await flood(gateway, limit: 200) { client, count in
                if count == 0 {
                    client.send(.headers, flags: 1, stream: 1, HTTP2Peer.block(HTTP2Peer.usual))
                } else {
                    client.send(.continuation, stream: 1, fragment)
                }
            }
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test func `T438 an endless head in tiny pieces closes the connection`() async throws {
        try await withGateway(Self.settings()) { gateway in
            _ = try await flood(gateway, limit: 1000) { client, count in
                if count == 0 {
                    client.send(.headers, flags: 1, stream: 1, HTTP2Peer.block(HTTP2Peer.usual))
                } else {
                    client.send(.continuation, stream: 1, [])
                }
            }
        }
    }

    @Test func `T439 a head that is small on the wire and large when decoded is refused`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            // One long field is inserted into the HPACK table (RFC 7541 §6.2.1), and then referenced by one byte each
            // time.
            let value = String(repeating: "z", count: 3900)
            let long = [0x40] + HTTP2Peer.block([("x", value)]).dropFirst()
            client.send(
                .headers, flags: 5, stream: 1,
                HTTP2Peer.block(HTTP2Peer.usual) + long + [UInt8](repeating: 0xBE, count: 4000))
            #expect(try await client.next(.resetStream).payload == [0, 0, 0, 11])
            #expect(gateway.upstream.connectionCount == 0)
            client.request(Self.refused, stream: 3)
            #expect(try await client.next(.headers).stream == 3)
        }
    }

    @Test func `T439 HPACK table size updates are accepted within the limit, and refused above it`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            // Table sizes 0 and 4096, and then 65,536, which exceeds the allowed size (RFC 7541 §6.3).
            client.send(.headers, flags: 5, stream: 1, [0x20, 0x3F, 0xE1, 0x1F] + HTTP2Peer.block(Self.refused))
            #expect(try await client.next(.headers).stream == 1)
            client.send(.headers, flags: 5, stream: 3, [0x3F, 0xE1, 0xFF, 0x03] + HTTP2Peer.block(Self.refused))
            #expect(try await client.peer.ends())
        }
    }

    @Test(arguments: [0x10, 77, 200] as [UInt8]) func `unknown frame types are ignored`(type: UInt8) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.peer.send([0, 0, 4, type, 0xFF, 0, 0, 0, 0, 1, 2, 3, 4])
            client.request(Self.refused)
            #expect(try await client.answer().status == "401")
        }
    }

    // MARK: Limits and ends

    @Test func `streams over the concurrency limit are refused as retryable`() async throws {
        var settings = Self.settings()
        settings.limits.streams = 3
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            // Not acknowledging the settings does not avoid the limit.
            for stream in [1, 3, 5, 7] as [UInt32] { client.request(stream: stream) }
            let reset = try await client.next(.resetStream)
            #expect(reset.stream == 7)
            #expect(reset.payload == [0, 0, 0, 7])
            try await eventually { gateway.upstream.connectionCount == 3 }
            #expect(gateway.gateway.requestsInFlight == 3)
            client.send(.resetStream, stream: 1, [0, 0, 0, 8])
            try await eventually { gateway.gateway.requestsInFlight == 2 }
            client.request(stream: 9)
            try await eventually { gateway.gateway.requestsInFlight == 3 }
        }
    }

    @Test func `a connection closes after its maximum of requests, and each request was answered`() async throws {
        var settings = Self.settings()
        settings.limits.requestsPerConnection = 3
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            for stream in [1, 3, 5] as [UInt32] { client.request(Self.refused, stream: stream) }
            var ended = Set<UInt32>()
            var code: UInt32?
            while ended.count < 3 || code == nil {
                let frame = try await client.next()
                if frame.type == 0, frame.flags & 1 != 0 { ended.insert(frame.stream) }
                if frame.type == 7 { code = frame.payload.dropFirst(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) } }
                if frame.type == 6, frame.flags == 0 { client.send(.ping, flags: 1, stream: 0, frame.payload) }
            }
            #expect(code == 0)
            #expect(try await client.peer.ends())
        }
    }

    @Test func `a connection without a request is closed in time, and an idle one too`() async throws {
        var settings = Self.settings()
        settings.timeouts.head = .milliseconds(300)
        settings.timeouts.idle = .milliseconds(300)
        try await withGateway(settings) { gateway in
            let silent = try await gateway.connect()
            #expect(try await silent.ends(within: .seconds(5)))
            let polite = try await HTTP2Peer.connect(gateway)
            #expect(try await polite.peer.ends(within: .seconds(5)))
            let idle = try await HTTP2Peer.connect(gateway)
            idle.request(Self.refused)
            #expect(try await idle.answer().status == "401")
            #expect(try await idle.peer.ends(within: .seconds(8)))
        }
    }

    @Test func `a draining gateway sends GOAWAY and lets requests complete`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(5)
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let drained = Task { await gateway.gateway.drain() }
            #expect(try await client.next(.goAway).payload.dropFirst(4).prefix(4).allSatisfy { $0 == 0 })
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            var content: [UInt8] = []
            while content.isEmpty {
                let frame = try await client.next()
                if frame.type == 6, frame.flags == 0 { client.send(.ping, flags: 1, stream: 0, frame.payload) }
                if frame.type == 0 { content = frame.payload }
            }
            #expect(content == Array("ok".utf8))
            await drained.value
        }
    }

    @Test func `a drain takes requests on their way, and names the last stream only after a round trip`()
        async throws
    {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(10)
        try await withGateway(settings) { gateway in
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.refused)
            #expect(try await client.answer(&decoder).status == "401")
            let drained = Task { await gateway.gateway.drain() }
            // The first GOAWAY still accepts all streams.
            #expect(try await client.next(.goAway).payload == [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
            let ping = try await client.next(.ping)
            client.request(Self.refused, stream: 3)
            #expect(try await client.answer(stream: 3, &decoder).status == "401")
            client.send(.ping, flags: 1, stream: 0, ping.payload)
            #expect(try await client.next(.goAway).payload == [0, 0, 0, 3, 0, 0, 0, 0])
            #expect(try await client.peer.ends())
            #expect(!client.peer.wasReset)
            await drained.value
        }
    }

    @Test func `a drain does not wait for a client that never acknowledges its ping`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(60)
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.refused)
            #expect(try await client.answer().status == "401")
            let drained = Task { await gateway.gateway.drain() }
            #expect(try await client.peer.ends(within: .seconds(20)))
            await drained.value
        }
    }

    @Test func `a draining gateway sends a slow client the end of its last answer`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            // The largest window of the protocol, so that only the client's socket limits the gateway.
            let client = try await HTTP2Peer.connect(gateway, settings: [0, 4, 0x7F, 0xFF, 0xFF, 0xFF])
            client.send(.windowUpdate, stream: 0, [0x7F, 0, 0, 0])
            client.request()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await client.peer.setReading(false)
            let length = CountedSending.volume
            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            let sent = CountedSending([UInt8](repeating: 7, count: length), from: server)
            #expect(try await sent.isHeldUp())
            let other = try await HTTP2Peer.connect(gateway)
            try await other.settle()
            let drained = Task { await gateway.gateway.drain() }
            _ = try await other.next(.goAway)
            other.peer.close()
            try await client.peer.setReading(true)
            var received = 0
            while received < length {
                let frame = try await client.next()
                if frame.type == 0 { received += frame.payload.count }
                if frame.type == 6, frame.flags == 0 { client.send(.ping, flags: 1, stream: 0, frame.payload) }
            }
            #expect(received == length)
            try await sent.finish()
            #expect(try await client.peer.ends())
            await drained.value
        }
    }
}
