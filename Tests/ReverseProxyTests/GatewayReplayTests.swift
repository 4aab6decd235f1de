import NIOCore
import NIOHPACK
import ProxySettings
import Testing

@testable import ReverseProxy

/// Upstreams that report a request as not processed (RFC 9113 §8.7), frame by frame.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayReplayTests {
    /// The frame with which an upstream refuses a stream.
    enum Refusal: CaseIterable {
        /// GOAWAY that names the stream before it as the last.
        case goAway
        /// RST_STREAM with REFUSED_STREAM.
        case reset

        func send(_ server: HTTP2Peer, stream: UInt32 = 1) {
            switch self {
            case .goAway: server.send(.goAway, stream: 0, [0, 0, 0, UInt8(stream == 1 ? 0 : stream - 2), 0, 0, 0, 0])
            case .reset: server.send(.resetStream, stream: stream, [0, 0, 0, 7])
            }
        }
    }

    private struct Request {
        let fields: HPACKHeaders
        var body: [UInt8] = []
    }

    /// Receives a request's head and the given number of body bytes. Nil for the whole body.
    private func request(_ server: HTTP2Peer, bytes: Int? = nil) async throws -> Request {
        let head = try await server.next(.headers)
        var block = ByteBuffer(bytes: head.payload)
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        let request = Request(fields: try decoder.decodeHeaders(from: &block))
        return try await body(server, of: request, head, bytes: bytes)
    }

    private func body(_ server: HTTP2Peer, of request: Request, _ head: HTTP2Peer.Frame, bytes: Int? = nil) async throws
        -> Request
    {
        var request = request
        var ends = head.flags & 1 == 1
        while !ends, bytes.map({ request.body.count < $0 }) ?? true {
            let part = try await server.next(.data, stream: head.stream)
            request.body += part.payload
            ends = part.flags & 1 == 1
        }
        return request
    }

    private func answer(_ server: HTTP2Peer, stream: UInt32 = 1) {
        server.send(.headers, flags: 5, stream: stream, HTTP2Peer.block([(":status", "200"), ("date", "d")]))
    }

    private static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let body = (0..<10_240).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    private static func post(_ body: [UInt8], length: Int? = nil) -> [UInt8] {
        Array("POST /a HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nContent-Length: \(length ?? body.count)\r\n\r\n".utf8) + body
    }

    // MARK: Sent again

    @Test(arguments: Refusal.allCases) func `a POST that was not processed is sent again completely`(_ refusal: Refusal)
        async throws
    {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            #expect(try await request(first).body == Self.body)
            refusal.send(first)
            let second = try await gateway.http2Server(1)
            let request = try await request(second)
            #expect(request.body == Self.body)
            #expect(request.fields[":method"] == ["POST"])
            #expect(request.fields["x-one"] == ["1"])
            #expect(request.fields["content-length"] == ["\(Self.body.count)"])
            answer(second)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            // The session that refused a request takes no new requests, so it closes.
            #expect(try await first.peer.ends())
        }
    }

    @Test(arguments: Refusal.allCases) func `a replayed body that is still being received continues where it stopped`(
        _ refusal: Refusal
    ) async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfirst\r\n")
            let first = try await gateway.http2Server()
            #expect(try await request(first, bytes: 5).body == Array("first".utf8))
            refusal.send(first)
            client.send("6\r\nsecond\r\n")
            let second = try await gateway.http2Server(1)
            #expect(try await request(second, bytes: 11).body == Array("firstsecond".utf8))
            client.send("5\r\nthird\r\n0\r\n\r\n")
            var rest: [UInt8] = []
            while rest.count < 5 { rest += try await second.next(.data).payload }
            #expect(rest == Array("third".utf8))
            answer(second)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `only requests above the last stream of GOAWAY are sent again`() async throws {
        try await withHTTP2Upstream { gateway in
            let (kept, moved) = (try await gateway.connect(), try await gateway.connect())
            kept.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            _ = try await request(first)
            moved.send(Self.post(Self.body))
            // Its fields are indices that refer to the fields of the first request.
            let head = try await first.next(.headers, stream: 3)
            #expect(try await body(first, of: Request(fields: [:]), head).body == Self.body)
            Refusal.goAway.send(first, stream: 3)
            let second = try await gateway.http2Server(1)
            #expect(try await request(second).body == Self.body)
            answer(first)
            answer(second)
            for client in [kept, moved] {
                #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            }
            #expect(gateway.upstream.connectionCount == 2)
        }
    }

    @Test func `a body of exactly the replay limit is sent again`() async throws {
        var settings = GatewaySettings()
        settings.limits.replay = Self.body.count
        try await withHTTP2Upstream(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            _ = try await request(first)
            Refusal.reset.send(first)
            let second = try await gateway.http2Server(1)
            #expect(try await request(second).body == Self.body)
            answer(second)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }

    // MARK: All bodies together

    @Test func `a body over the shared replay budget is forwarded, but not sent again`() async throws {
        var settings = GatewaySettings()
        // Each held body takes a buffer of 16 KiB.
        settings.limits.replayTotal = 16 * 1024
        try await withHTTP2Upstream(settings) { gateway in
            let (held, more, refused) = (
                try await gateway.connect(), try await gateway.connect(), try await gateway.connect()
            )
            held.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            #expect(try await request(first).body == Self.body)
            #expect(gateway.gateway.state.heldBodies.byteCount == 16 * 1024)
            for (client, stream) in [(more, UInt32(3)), (refused, 5)] {
                client.send(Self.post(Self.body))
                let head = try await first.next(.headers, stream: stream)
                #expect(try await body(first, of: Request(fields: [:]), head).body == Self.body)
            }
            #expect(gateway.gateway.state.limits.counts[.replayTotal] == 2)
            #expect(gateway.gateway.state.heldBodies.byteCount == 16 * 1024)
            answer(first, stream: 3)
            #expect(firstLine(try await more.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            Refusal.reset.send(first, stream: 5)
            #expect(firstLine(try await refused.receive(through: "\r\n\r\n")) == "HTTP/1.1 503 Service Unavailable")
            Refusal.reset.send(first)
            let second = try await gateway.http2Server(1)
            #expect(try await request(second).body == Self.body)
            answer(second)
            #expect(firstLine(try await held.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
        }
    }

    @Test(arguments: [false, true])
    func `when memory is short all held bodies are released, and their requests continue`(_ isHTTP2: Bool) async throws
    {
        var settings = GatewaySettings()
        let memory = ScriptedMemory()
        settings.memory = memory.watch()
        settings.service = .plain(isHTTP2 ? .http2 : .http1)
        settings.eventLoops = 2
        try await withHTTP2Upstream(settings) { gateway in
            var clients: [RawPeer] = []
            var servers: [HTTP2Peer] = []
            // Connections are assigned to the event loops in turn, and each loop has its own upstream connection.
            for index in 0..<2 {
                let client = try await gateway.connect()
                clients.append(client)
                if !isHTTP2 {
                    client.send(Self.post(Self.body, length: Self.body.count + 1))
                } else {
                    let peer = HTTP2Peer(client)
                    client.send(HTTP2Peer.preface + HTTP2Peer.frame(.settings, stream: 0))
                    peer.request(
                        [(":method", "POST"), (":scheme", "http"), (":path", "/a"), (":authority", "a")], ends: false)
                    peer.send(.data, stream: 1, Self.body)
                }
                let server = try await gateway.http2Server(index)
                #expect(try await request(server, bytes: Self.body.count).body == Self.body)
                servers.append(server)
            }
            #expect(gateway.gateway.state.heldBodies.byteCount == 2 * 16 * 1024)
            memory.use(percent: 95)
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
            answer(servers[0])
            if !isHTTP2 {
                #expect(firstLine(try await clients[0].receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            } else {
                #expect(try await HTTP2Peer(clients[0]).answer().heads.last?[":status"] == ["200"])
            }
            #expect(gateway.gateway.state.limits.counts[.replayTotal] == nil)
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
        }
    }

    // MARK: Not sent again

    @Test(arguments: Refusal.allCases)
    func `a refused request whose body is over the replay limit is 503 with Retry-After`(
        _ refusal: Refusal
    )
        async throws
    {
        var settings = GatewaySettings()
        settings.limits.replay = Self.body.count - 1
        try await withHTTP2Upstream(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            _ = try await request(first)
            refusal.send(first)
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 503 Service Unavailable")
            #expect(values("retry-after", in: head) == ["1"])
            #expect(try await gateway.logLines(1).first?.contains(#""status":503,"reason":"upstream_refused""#) == true)
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test(arguments: Refusal.allCases) func `a request that is refused twice is 503`(_ refusal: Refusal) async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            for index in 0...1 {
                let server = try await gateway.http2Server(index)
                _ = try await request(server)
                refusal.send(server)
            }
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 503 Service Unavailable")
            #expect(values("retry-after", in: head) == ["1"])
            #expect(gateway.upstream.connectionCount == 2)
        }
    }

    @Test func `a gRPC call that is refused twice gets a gRPC status`() async throws {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        try await withHTTP2Upstream(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            let fields = [
                (":method", "POST"), (":scheme", "http"), (":path", "/a.B/C"), (":authority", "a"),
                ("content-type", "application/grpc"),
                ("te", "trailers"),
            ]
            client.request(fields, ends: false)
            client.send(.data, flags: 1, stream: 1, [0, 0, 0, 0, 1, 9])
            for index in 0...1 {
                let server = try await gateway.http2Server(index)
                #expect(try await request(server).body == [0, 0, 0, 0, 1, 9])
                Refusal.reset.send(server)
            }
            let head = try #require(try await client.answer().heads.last)
            #expect(head[":status"] == ["200"])
            #expect(head["grpc-status"] == ["14"])
            #expect(head["retry-after"] == ["1"])
        }
    }

    @Test func `a refusal after an interim response is 502, and the request is not sent again`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            _ = try await request(first)
            first.send(.headers, flags: 4, stream: 1, HTTP2Peer.block([(":status", "103")]))
            Refusal.reset.send(first)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")).hasPrefix("HTTP/1.1 103"))
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 502 Bad Gateway")
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test(arguments: Refusal.allCases) func `a refusal after the response head aborts the response`(_ refusal: Refusal)
        async throws
    {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            _ = try await request(first)
            first.send(.headers, flags: 4, stream: 1, HTTP2Peer.block([(":status", "200"), ("date", "d")]))
            first.send(.data, stream: 1, Array("half".utf8))
            _ = try await client.receive(through: "half\r\n")
            refusal.send(first)
            #expect(try await client.ends())
            #expect(client.wasReset)
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a reset with another error code is not a refusal`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.post(Self.body))
            let first = try await gateway.http2Server()
            _ = try await request(first)
            first.send(.resetStream, stream: 1, [0, 0, 0, 2])
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 502 Bad Gateway")
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `with replay off, only idempotent requests without a body are sent again`() async throws {
        var settings = GatewaySettings()
        settings.limits.replay = 0
        try await withHTTP2Upstream(settings) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let first = try await gateway.http2Server()
            _ = try await request(first)
            Refusal.reset.send(first)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 503 Service Unavailable")
            client.send(Self.get)
            let second = try await gateway.http2Server(1)
            _ = try await request(second)
            Refusal.reset.send(second)
            let third = try await gateway.http2Server(2)
            _ = try await request(third)
            answer(third)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }
}
