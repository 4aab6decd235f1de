import HTTPMessages
import ProxySettings
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// WebSockets through the gateway, byte for byte.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayWebSocketTests {
    private static func settings(isAllowed: Bool = true) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.webSockets = isAllowed ? WebSocketPolicy() : nil
        return settings
    }

    @Test func `T446 no client bytes are forwarded before the upstream has switched protocols`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request() + "early")
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("upgrade", in: head) == ["websocket"])
            #expect(values("connection", in: head) == ["Upgrade"])
            #expect(values("sec-websocket-key", in: head) == ["dGhlIHNhbXBsZSBub25jZQ=="])
            try await gateway.settle()
            #expect(server.text.isEmpty)
            server.send(WebSocketSample.answer() + "first")
            let answer = try await client.receive(through: "first")
            #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"))
            #expect(values("upgrade", in: answer) == ["websocket"])
            #expect(values("connection", in: answer) == ["Upgrade"])
            #expect(values("sec-websocket-accept", in: answer) == ["s3pPLMBiTxaQ9kYGzzhZRbK+xOo="])
            #expect(try await server.receive(through: "early") == "early")
            client.send("ping")
            #expect(try await server.receive(through: "ping") == "ping")
            server.send("pong")
            #expect(try await client.receive(through: "pong") == "pong")
            server.close()
            #expect(try await client.ends())
            let line = try #require(try await gateway.logLines(3).last)
            #expect(line.contains("\"status\":101"))
            try await expectOutcomes([.informational: 1], gateway)
            try await eventually { gateway.gateway.requestsInFlight == 0 && gateway.gateway.openConnections == 0 }
        }
    }

    @Test func `T242 a handshake for a resource without WebSockets is forwarded as an ordinary request`() async throws {
        try await withGateway(Self.settings(isAllowed: false)) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request())
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("upgrade", in: head) == [])
            #expect(values("connection", in: head) == [])
            server.send(WebSocketSample.answer())
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 502 "))
        }
    }

    @Test func `T242 a handshake without a protocol switch is answered, and the next bytes are a request`()
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request() + "GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\n\r\nok")
            _ = try await client.receive(through: "ok")
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            #expect(server.text.isEmpty)
        }
    }

    @Test(arguments: [
        WebSocketSample.answer(to: "x3JJHMbDL1EzLkh9GBhXDw=="),
        WebSocketSample.answer().replacing("Connection: Upgrade\r\n", with: ""),
        WebSocketSample.answer().replacing("Upgrade: websocket", with: "Upgrade: websocket, h2c"),
        WebSocketSample.answer().replacing(
            "\r\n\r\n", with: "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"),
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
    ])
    func `an upstream that switches to another protocol is 502`(answer: String) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request())
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(answer + "stolen")
            let received = try await client.receive(through: "}")
            #expect(received.hasPrefix("HTTP/1.1 502 "))
            #expect(!received.contains("stolen"))
        }
    }

    @Test(arguments: [
        ("Connection: Upgrade\r\n", ""), ("Upgrade: websocket\r\n", ""), ("Upgrade: websocket", "Upgrade: h2c"),
        ("Upgrade: websocket", "Upgrade: websocket, h2c"), ("GET ", "HEAD "), ("GET ", "POST "),
        (" HTTP/1.1", " HTTP/1.0"),
        ("Version: 13", "Version: 8"), ("Sec-WebSocket-Version: 13\r\n", ""), ("Key: ", "Key: x"),
        ("Host: a\r\n", "Host: a\r\nSec-WebSocket-Key: x3JJHMbDL1EzLkh9GBhXDw==\r\n"),
        ("\r\n\r\n", "\r\nContent-Length: 2\r\n\r\nhi"),
        ("\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ])
    func `an incomplete WebSocket handshake does not request an upgrade upstream`(part: String, other: String)
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request().replacing(part, with: other))
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("upgrade", in: head) == [])
            server.send(WebSocketSample.answer())
            #expect(try await client.receive(through: "\r\n\r\n").contains(" 502 "))
        }
    }

    @Test func `T444 a handshake needs its own token`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request("/private") + "early")
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            #expect(gateway.upstream.connectionCount == 0)
        }
    }

    @Test(arguments: [true, false]) func `WebSocket bytes that one side does not read are not read from the other`(
        clientSends: Bool
    )
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let (client, server) = try await Self.open(gateway)
            let (sender, receiver) = clientSends ? (client, server) : (server, client)
            try await receiver.setReading(false)
            let body = CountedSending.sample()
            let sending = CountedSending(body, from: sender)
            #expect(try await sending.isHeldUp())
            try await receiver.setReading(true)
            try await sending.finish()
            #expect(try await receiver.receive(count: body.count) == body)
        }
    }

    @Test func `a drain sends a close frame to both sides, between two frames`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            let (client, server) = try await Self.open(gateway)
            server.send([0x82, 3, 1])
            _ = try await client.receive(count: 3)
            let drained = try await Self.beginDrain(gateway)
            server.send([2, 3])
            #expect(try await client.receive(count: 2) == [2, 3])
            let goingAway = WebSocketFrames.close(1001, "The gateway is going away")
            #expect(try await client.receive(count: goingAway.count) == goingAway)
            #expect(try await client.ends())
            #expect(try await server.receive(count: 6).prefix(2) == [0x88, UInt8(0x80 + goingAway.count - 2)])
            client.close()
            await drained.value
        }
    }

    @Test func `during a drain no client bytes are forwarded while a frame to the client completes`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            let (client, server) = try await Self.open(gateway)
            server.send([0x82, 3, 1])
            _ = try await client.receive(count: 3)
            let drained = try await Self.beginDrain(gateway)
            try await client.sendAll(WebSocketFrames.close(1000, "late", mask: [0, 0, 0, 0]))
            // Bytes of the open frame still pass. When they arrive, the event loop has seen what the client sent
            // before.
            for byte in [2, 3] as [UInt8] {
                server.send([byte])
                #expect(try await client.receive(count: 1) == [byte])
            }
            let farewell = WebSocketFrames.close(1001, "The gateway is going away", mask: [0, 0, 0, 0])
            #expect(try await server.receive(count: farewell.count) == farewell)
            #expect(try await server.ends())
            client.close()
            await drained.value
        }
    }

    @Test func `a WebSocket opened during a drain gets a close frame at once`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(WebSocketSample.request())
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let drained = try await Self.beginDrain(gateway)
            server.send(WebSocketSample.answer())
            _ = try await client.receive(through: "\r\n\r\n")
            let goingAway = WebSocketFrames.close(1001, "The gateway is going away")
            #expect(try await client.receive(count: goingAway.count) == goingAway)
            client.close()
            await drained.value
        }
    }

    @Test func `a client that is sending during a drain still gets the close frame`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            let (client, server) = try await Self.open(gateway)
            try await server.setReading(false)
            let sending = CountedSending([UInt8](repeating: 0, count: CountedSending.volume), from: client)
            #expect(try await sending.isHeldUp())
            let drained = Task { await gateway.gateway.drain() }
            let goingAway = WebSocketFrames.close(1001, "The gateway is going away")
            #expect(try await client.receive(count: goingAway.count) == goingAway)
            client.close()
            await sending.end()
            await drained.value
        }
    }

    @Test func `a drain does not wait for a frame that never ends`() async throws {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            let (client, server) = try await Self.open(gateway)
            server.send([0x82, 3, 1])
            _ = try await client.receive(count: 3)
            let drained = Task { await gateway.gateway.drain() }
            #expect(try await client.ends())
            #expect(try await server.ends())
            await drained.value
        }
    }

    /// Opens a WebSocket.
    private static func open(_ gateway: GatewayFixture) async throws -> (client: RawPeer, server: RawPeer) {
        let client = try await gateway.connect()
        let index = gateway.upstream.connectionCount
        client.send(WebSocketSample.request())
        let server = try await gateway.upstream.connection(index)
        _ = try await server.receive(through: "\r\n\r\n")
        server.send(WebSocketSample.answer())
        _ = try await client.receive(through: "\r\n\r\n")
        return (client, server)
    }

    /// Starts a drain and waits until the one event loop knows of it: a further WebSocket on that loop gets its close
    /// frame at once.
    private static func beginDrain(_ gateway: GatewayFixture) async throws -> Task<Void, Never> {
        let (client, server) = try await open(gateway)
        let drained = Task { await gateway.gateway.drain() }
        _ = try await client.receive(count: WebSocketFrames.close(1001, "The gateway is going away").count)
        client.close()
        server.close()
        return drained
    }

    @Test
    func `an upstream's last bytes are relayed after the client ended its side, within a time limit`()
        async throws
    {
        var settings = Self.settings()
        settings.timeouts.bodyIdle = .milliseconds(600)
        try await withGateway(settings) { gateway in
            let (client, server) = try await Self.open(gateway)
            client.send("bye")
            client.halfClose()
            #expect(try await server.receiveToEnd() == "bye")
            server.send("and bye")
            #expect(try await client.receive(through: "and bye") == "and bye")
            #expect(try await client.ends())
            try await eventually { gateway.gateway.openConnections == 0 && gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `a silent WebSocket times out, and a client that disconnects closes the upstream connection`()
        async throws
    {
        var settings = Self.settings()
        settings.timeouts.streamIdle = .milliseconds(400)
        try await withGateway(settings) { gateway in
            for leaves in [true, false] {
                let client = try await gateway.connect()
                client.send(WebSocketSample.request())
                let server = try await gateway.upstream.connection(leaves ? 0 : 1)
                _ = try await server.receive(through: "\r\n\r\n")
                server.send(WebSocketSample.answer())
                _ = try await client.receive(through: "\r\n\r\n")
                if leaves { client.close() }
                #expect(try await server.ends())
                if leaves { server.close() }
                #expect(try await client.ends())
            }
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `an upstream that resets while its client sends ends only its own tunnel`() async throws {
        try await withGateway(Self.settings()) { gateway in
            for round in 0..<8 {
                var tunnels: [(client: RawPeer, server: RawPeer)] = []
                for index in 0..<32 {
                    let client = try await gateway.connect()
                    client.send(WebSocketSample.request())
                    let server = try await gateway.upstream.connection(round * 32 + index)
                    _ = try await server.receive(through: "\r\n\r\n")
                    server.send(WebSocketSample.answer())
                    _ = try await client.receive(through: "\r\n\r\n")
                    tunnels.append((client, server))
                }
                // The gateway writes the clients' bytes before it reads the resets, so its writes fail at once.
                for tunnel in tunnels {
                    for _ in 0..<4 { tunnel.client.send([UInt8](repeating: 0x81, count: 16 * 1024)) }
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for tunnel in tunnels { group.addTask { try await tunnel.server.reset() } }
                    try await group.waitForAll()
                }
                for tunnel in tunnels { tunnel.client.close() }
                try await eventually { gateway.gateway.requestsInFlight == 0 && gateway.gateway.openConnections == 0 }
            }
        }
    }

    // MARK: Subprotocols

    /// Settings with a resource that takes tokens from subprotocols. The rule for these requests needs no token.
    private static func subprotocolSettings() -> GatewaySettings {
        var settings = GatewaySettings()
        settings.webSockets = WebSocketPolicy(tokenProtocol: .bearer)
        return settings
    }

    /// Opens a WebSocket. Returns the subprotocols offered to the upstream, and the one that the client is answered.
    private func handshake(
        _ offers: [String], choice: [String], _ gateway: GatewayFixture
    ) async throws -> (offered: [String], answer: String) {
        let client = try await gateway.connect()
        let index = gateway.upstream.connectionCount
        let lines = offers.map { "\($0)\r\n" }.joined()
        client.send(WebSocketSample.request().replacing("Host: a\r\n", with: "Host: a\r\n" + lines))
        let server = try await gateway.upstream.connection(index)
        let head = try await server.receive(through: "\r\n\r\n")
        #expect(!head.contains("a.b.c"))
        #expect(values("upgrade", in: head) == ["websocket"])
        let chosen = choice.map { "\r\nSec-WebSocket-Protocol: \($0)" }.joined()
        server.send(WebSocketSample.answer().replacing("\r\n\r\n", with: chosen + "\r\n\r\n"))
        let answer = try await client.receive(through: "\r\n\r\n")
        client.close()
        server.close()
        return (values("sec-websocket-protocol", in: head), answer)
    }

    static let offers: [([String], [String], [String], String?)] = [
        (["Sec-WebSocket-Protocol: bearer, a.b.c"], [], [], "bearer"),
        (["Sec-WebSocket-Protocol: Bearer,a.b.c, chat"], ["chat"], ["chat"], "chat"),
        (["Sec-WebSocket-Protocol: chat, Bearer, a.b.c"], ["chat"], [], "Bearer"),
        (["Sec-WebSocket-Protocol: chat, bearer, a.b.c"], ["chat"], ["bearer"], "bearer"),
        (
            ["Sec-WebSocket-Protocol: chat, bearer", "sec-websocket-protocol: a.b.c, log"], ["chat, log"], ["log"],
            "log"
        ),
        (["Sec-WebSocket-Protocol: bearer, a.b.c, bearer, a.b.c"], [], [""], "bearer"),
        (["Sec-WebSocket-Protocol: base64url.bearer.authorization.k8s.io.YS5iLmM, v4"], ["v4"], ["v4"], "v4"),
        (["Sec-WebSocket-Protocol: base64url.bearer.authorization.YS5iLmM"], [], [], ""),
        (["Sec_WebSocket_Protocol: bearer, a.b.c", "Sec.WebSocket.Protocol: a.b.c"], [], [], ""),
        (["Sec-WebSocket-Protocol: chat"], ["chat"], [], ""), ([], [], [], ""),
        (["Sec-WebSocket-Protocol: chat, bearer, a.b.c"], ["chat"], ["other"], nil),
        (["Sec-WebSocket-Protocol: chat, bearer, a.b.c"], ["chat"], ["a.b.c"], nil),
        (["Sec-WebSocket-Protocol: chat, bearer, a.b.c"], ["chat"], ["chat", "chat"], nil),
        (["Sec-WebSocket-Protocol: chat"], ["chat"], ["Chat"], nil), ([], [], ["chat"], nil),
    ]

    @Test(arguments: offers)
    func `T447 a subprotocol token is not forwarded, and the answer selects a protocol the client offers`(
        offers: [String], offered: [String], choice: [String], answered: String?
    ) async throws {
        try await withGateway(Self.subprotocolSettings()) { gateway in
            let seen = try await handshake(offers, choice: choice, gateway)
            #expect(seen.offered == offered)
            guard let answered else {
                #expect(seen.answer.hasPrefix("HTTP/1.1 502 "))
                let line = try #require(try await gateway.logLines(1).first)
                #expect(upstreamError(in: line)?.hasSuffix(ResponseFault.unofferedProtocol.text) == true)
                return
            }
            #expect(seen.answer.hasPrefix("HTTP/1.1 101 "))
            #expect(values("sec-websocket-protocol", in: seen.answer) == (answered.isEmpty ? [] : [answered]))
        }
    }

    @Test func `without tokens in subprotocols, Sec-WebSocket-Protocol passes unchanged both ways`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            let line = "Sec-WebSocket-Protocol: bearer,  other"
            client.send(WebSocketSample.request().replacing("Host: a\r\n", with: "Host: a\r\n\(line)\r\n"))
            let server = try await gateway.upstream.connection()
            #expect(try await server.receive(through: "\r\n\r\n").contains("\r\n\(line)\r\n"))
            server.send(
                WebSocketSample.answer().replacing("\r\n\r\n", with: "\r\nSec-WebSocket-Protocol: third\r\n\r\n"))
            #expect(values("sec-websocket-protocol", in: try await client.receive(through: "\r\n\r\n")) == ["third"])
        }
    }

    @Test(arguments: ["/", "/shop/x"])
    func `T447 a subprotocol token is removed from ordinary requests too`(path: String) async throws {
        try await withGateway(Self.subprotocolSettings()) { gateway in
            let client = try await gateway.connect()
            client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Protocol: x, bearer, a.b.c\r\n\r\n")
            let head = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
            #expect(values("sec-websocket-protocol", in: head) == ["x"])
            client.close()
        }
    }
}
