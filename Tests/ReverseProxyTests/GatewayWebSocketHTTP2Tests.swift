import HTTPMessages
import NIOCore
import NIOHPACK
import ProxySettings
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// WebSockets over HTTP/2 streams (RFC 8441), frame by frame, with an HTTP/1.1 upstream.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayWebSocketHTTP2Tests {
    private static func settings(isAllowed: Bool = true) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        settings.webSockets = isAllowed ? WebSocketPolicy() : nil
        return settings
    }

    private static func question(_ path: String = "/", protocol name: String = "websocket") -> [(String, String)] {
        [
            (":method", "CONNECT"), (":protocol", name), (":scheme", "http"), (":path", path), (":authority", "a"),
            ("sec-websocket-version", "13"), ("sec-websocket-protocol", "chat"), ("origin", "http://a"),
        ]
    }

    /// Connects and acknowledges the gateway's settings, which must precede extended CONNECT (RFC 8441 §3).
    private static func connect(_ gateway: GatewayFixture) async throws -> HTTP2Peer {
        let client = try await HTTP2Peer.connect(gateway)
        _ = try await client.next(.settings)
        client.send(.settings, flags: 1, stream: 0)
        return client
    }

    /// Opens a WebSocket.
    ///
    /// - Parameter early: bytes that the client sends before the answer.
    private static func open(_ gateway: GatewayFixture, early: [UInt8] = []) async throws -> (
        client: HTTP2Peer, server: RawPeer
    ) {
        let client = try await Self.connect(gateway)
        client.request(question(), ends: false)
        if !early.isEmpty { client.send(.data, stream: 1, early) }
        let server = try await gateway.upstream.connection()
        let head = try await server.receive(through: "\r\n\r\n")
        #expect(firstLine(head) == "GET / HTTP/1.1")
        #expect(values("upgrade", in: head) == ["websocket"])
        #expect(values("connection", in: head) == ["Upgrade"])
        #expect(values("sec-websocket-protocol", in: head) == ["chat"])
        let key = try #require(values("sec-websocket-key", in: head).first)
        #expect(key.utf8.count == 24)
        if !early.isEmpty {
            try await client.settle()
            #expect(server.text.isEmpty, "T446")
        }
        server.send(WebSocketSample.answer(to: key))
        var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
        var block = ByteBuffer(bytes: try await client.next(.headers).payload)
        let fields = try decoder.decodeHeaders(from: &block)
        #expect(fields[":status"] == ["200"])
        for name in ["upgrade", "connection", "sec-websocket-accept"] { #expect(fields[name] == []) }
        return (client, server)
    }

    @Test func `WebSocket bytes pass both ways, and the end of each side ends the other`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.open(gateway, early: Array("early".utf8))
            #expect(try await server.receive(through: "early") == "early")
            client.send(.data, stream: 1, Array("ping".utf8))
            #expect(try await server.receive(through: "ping") == "ping")
            server.send("pong")
            #expect(try await client.next(.data).payload == Array("pong".utf8))
            server.close()
            let last = try await client.next(.data)
            #expect(last.flags & 1 == 1)
            #expect(last.payload.isEmpty)
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `a client that ends its stream half-closes the upstream`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.open(gateway)
            client.send(.data, flags: 1, stream: 1, Array("last".utf8))
            #expect(try await server.receiveToEnd() == "last")
            server.close()
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `a client's end of stream before the answer is passed to the upstream`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question(), ends: false)
            client.send(.data, flags: 1, stream: 1, Array("bye".utf8))
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            server.send(WebSocketSample.answer(to: try #require(values("sec-websocket-key", in: head).first)))
            #expect(try await server.receiveToEnd() == "bye")
            server.close()
            #expect(try await client.next(.data).flags & 1 == 1)
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `an upstream's last bytes are relayed after the client ended its side`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.open(gateway)
            client.send(.data, flags: 1, stream: 1, Array("bye".utf8))
            #expect(try await server.receive(through: "bye") == "bye")
            try await client.settle()
            server.send("and bye")
            server.close()
            let last = try await client.next(.data)
            #expect(last.payload == Array("and bye".utf8))
            // END_STREAM comes with the last bytes or in a frame of its own.
            if last.flags & 1 == 0 { #expect(try await client.next(.data).flags & 1 == 1) }
            // No frame follows: a browser would take a reset for a broken connection.
            client.send(.ping, stream: 0, [UInt8](repeating: 1, count: 8))
            let next = try await client.next()
            #expect(next.type == HTTP2Peer.FrameType.ping.rawValue, "\(next)")
        }
    }

    @Test func `a client that resets its stream closes its upstream connection, and no other`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.open(gateway)
            client.send(.resetStream, stream: 1, [0, 0, 0, 8])
            #expect(try await server.ends())
            client.request(
                [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")], stream: 3)
            _ = try await client.next(.headers, stream: 3)
        }
    }

    @Test func `T447 a token is removed from the subprotocols, and the answer selects the protocol named before it`()
        async throws
    {
        var settings = Self.settings()
        settings.webSockets = WebSocketPolicy(tokenProtocol: .bearer)
        try await withGateway(settings) { gateway in
            let client = try await Self.connect(gateway)
            let rest = Self.question().filter { $0.0 != "sec-websocket-protocol" }
            client.request(rest + [("sec-websocket-protocol", "bearer, a.b.c")], ends: false)
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("sec-websocket-protocol", in: head) == [])
            #expect(!head.contains("a.b.c"))
            server.send(WebSocketSample.answer(to: try #require(values("sec-websocket-key", in: head).first)))
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            var block = ByteBuffer(bytes: try await client.next(.headers).payload)
            let fields = try decoder.decodeHeaders(from: &block)
            #expect(fields[":status"] == ["200"])
            #expect(fields["sec-websocket-protocol"] == ["bearer"])
        }
    }

    /// In HTTP/2 every successful response accepts extended CONNECT, so any other answer must be an error.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", ResponseFault.noProtocolSwitch),
        ("HTTP/1.1 204 No Content\r\n\r\n", .noProtocolSwitch),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n", .noProtocolSwitch),
        (WebSocketSample.answer(to: "x3JJHMbDL1EzLkh9GBhXDw=="), .protocolSwitch),
    ])
    func `a WebSocket answer without a valid protocol switch is 502, with the fault in the log`(
        answer: String, fault: ResponseFault
    ) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question(), ends: false)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(answer)
            let received = try await client.answer()
            #expect(received.status == "502")
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains("\"reason\":\"upstream_invalid\""))
            #expect(upstreamError(in: line) == "the response is not relayed: \(fault.text)")
            try await expectOutcomes([.invalidResponse: 1], gateway)
        }
    }

    @Test func `an upstream's refusal is relayed, and bytes sent ahead are not taken for a request`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question(), ends: false)
            client.send(.data, stream: 1, Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno")
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let answer = try await client.answer(&decoder)
            #expect(answer.status == "403")
            #expect(answer.text == "no")
            #expect(try await client.next(.resetStream).payload == [0, 0, 0, 0])
            client.request(
                [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")], stream: 3)
            #expect(try await client.answer(stream: 3, &decoder).status == "401")
            #expect(server.text.isEmpty)
        }
    }

    @Test func `T444 a WebSocket request needs its own token`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question("/private"), ends: false)
            #expect(try await client.answer().status == "401")
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test func `T444 a refusal never switches protocols, whatever the request states about its content`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question("/private") + [("content-type", "application/grpc")], ends: false)
            #expect(try await client.answer().status == "401")
        }
    }

    @Test func `a metadata document of the gateway does not switch protocols`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            let place = "/.well-known/oauth-protected-resource/documented"
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            client.request([(":method", "GET"), (":scheme", "http"), (":path", place), (":authority", "api.example")])
            #expect(try await client.answer(&decoder).status == "200")
            let question = Self.question(place).map { $0.0 == ":authority" ? ($0.0, "api.example") : $0 }
            client.request(question, stream: 3, ends: false)
            #expect(try await client.answer(stream: 3, &decoder).status == "405")
        }
    }

    @Test func `a resource without WebSockets refuses extended CONNECT`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question("/shop/a"), ends: false)
            #expect(try await client.answer().status == "405")
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test func `extended CONNECT for other protocols is refused like any CONNECT`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question(protocol: "connect-udp"), ends: false)
            #expect(try await client.answer().status == "405")
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test func `SETTINGS_ENABLE_CONNECT_PROTOCOL is sent only where WebSockets are allowed`() async throws {
        for isAllowed in [true, false] {
            try await withGateway(Self.settings(isAllowed: isAllowed)) { gateway in
                let client = try await HTTP2Peer.connect(gateway)
                let settings = try await client.next(.settings).payload
                let pairs = stride(from: 0, to: settings.count, by: 6).map { Array(settings[$0..<$0 + 6]) }
                #expect(pairs.contains([0, 8, 0, 0, 0, 1]) == isAllowed)
                guard !isAllowed else { return }
                client.send(.settings, flags: 1, stream: 0)
                client.request(Self.question(), ends: false)
                #expect(try await client.answer().reset == 1)
            }
        }
    }

    @Test(arguments: [
        [(":method", "GET"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
        [(":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":authority", "a")],
        [(":method", "CONNECT"), (":protocol", "websocket"), (":path", "/"), (":authority", "a")],
        [
            (":method", "CONNECT"), (":protocol", "websocket"), (":protocol", "websocket"), (":scheme", "http"),
            (":path", "/"),
            (":authority", "a"),
        ],
        [
            (":method", "CONNECT"), (":protocol", "websocket"), (":scheme", "http"), (":path", "/"),
            (":authority", "a"),
            ("upgrade", "websocket"),
        ],
    ])
    func `WebSocket requests that the HTTP 2 library rejects reset their stream`(fields: [(String, String)])
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(fields, ends: false)
            #expect(try await client.answer().reset == 1)
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test(arguments: [true, false])
    func `a WebSocket request that ends its stream or announces content is malformed`(ends: Bool)
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await Self.connect(gateway)
            client.request(Self.question() + (ends ? [] : [("content-length", "3")]), ends: ends)
            let answer = try await client.answer()
            #expect(answer.status == "400" && answer.reset == nil)
            #expect(gateway.upstream.connectionCount == 0)
        }
    }
}
