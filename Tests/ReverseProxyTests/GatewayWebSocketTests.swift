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

    @Test func `T446 nothing of the client's is forwarded before the upstream has switched protocols`() async throws {
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

    @Test func `T242 on a resource without it the request is forwarded as an ordinary one`() async throws {
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

    @Test func `T242 a response without a switch of protocols is relayed as usual, and what follows is a request`()
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
    func `what is not the whole handshake asks for nothing`(part: String, other: String) async throws {
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

    @Test(arguments: [true, false]) func `what one side does not take is not taken from the other`(clientSends: Bool)
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

    @Test func `at a drain both sides are told, between two frames`() async throws {
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

    @Test func `while a frame to the client comes to its end, nothing more of the client's is forwarded`() async throws
    {
        var settings = Self.settings()
        settings.timeouts.drain = .seconds(20)
        try await withGateway(settings) { gateway in
            let (client, server) = try await Self.open(gateway)
            server.send([0x82, 3, 1])
            _ = try await client.receive(count: 3)
            let drained = try await Self.beginDrain(gateway)
            try await client.sendAll(WebSocketFrames.close(1000, "late", mask: [0, 0, 0, 0]))
            // The next bytes of a frame pass; when they are there, the loop has seen what the client sent before them.
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

    @Test func `one that opens during a drain is told at once`() async throws {
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

    @Test func `a client in the middle of sending sees why it ended`() async throws {
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

    @Test func `at a drain a frame that never ends is not waited for`() async throws {
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

    /// Opens one.
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

    /// Tells the gateway to drain, and waits until its one loop has heard of it: another WebSocket there is told at
    /// once.
    private static func beginDrain(_ gateway: GatewayFixture) async throws -> Task<Void, Never> {
        let (client, server) = try await open(gateway)
        let drained = Task { await gateway.gateway.drain() }
        _ = try await client.receive(count: WebSocketFrames.close(1001, "The gateway is going away").count)
        client.close()
        server.close()
        return drained
    }

    @Test
    func `the last bytes of an upstream come though the client's side has ended, and are not waited for without end`()
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

    @Test func `a silent one ends in time, and a client that leaves ends the upstream's side`() async throws {
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

    @Test func `an upstream that resets while its client sends ends its tunnel alone`() async throws {
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
                // What the clients send meets resets that the gateway has not read yet: its writes fail at once.
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

    /// With a resource that takes tokens from there; the rule of these requests looks at none.
    private static func subprotocolSettings() -> GatewaySettings {
        var settings = GatewaySettings()
        settings.webSockets = WebSocketPolicy(tokenProtocol: .bearer)
        return settings
    }

    /// Protocols that the upstream is offered, and the client's answer after the upstream's choice.
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

    @Test(arguments: offers) func `T447 no upstream gets a token, and the answer names what the client offers`(
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

    @Test func `where no resource takes tokens from there, both sides' words pass as they are`() async throws {
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
    func `T447 a request that opens no WebSocket is forwarded without one either`(path: String) async throws {
        try await withGateway(Self.subprotocolSettings()) { gateway in
            let client = try await gateway.connect()
            client.send("GET \(path) HTTP/1.1\r\nHost: a\r\nSec-WebSocket-Protocol: x, bearer, a.b.c\r\n\r\n")
            let head = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
            #expect(values("sec-websocket-protocol", in: head) == ["x"])
            client.close()
        }
    }
}
