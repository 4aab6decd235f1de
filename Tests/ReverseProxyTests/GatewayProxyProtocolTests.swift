import KeySets
import NIOSSL
import NetworkNames
import ProxySettings
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// Connections that begin with a PROXY protocol header, over real sockets.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayProxyProtocolTests {
    private static func settings(
        from ranges: [String] = ["127.0.0.0/8"], _ change: (inout GatewaySettings) throws -> Void = { _ in }
    )
        throws
        -> GatewaySettings
    {
        var settings = GatewaySettings()
        settings.proxies = try ranges.map { try #require(AddressRange($0)) }
        try change(&settings)
        return settings
    }

    private static func line(_ client: String = "192.0.2.7") -> String {
        "PROXY TCP4 \(client) 198.51.100.2 56324 443\r\n"
    }

    private static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let block = signature + [0x21, 0x11, 0, 12, 192, 0, 2, 7, 198, 51, 100, 2, 0xDC, 0x04, 0x01, 0xBB]
    private static let local = signature + [0x20, 0x00, 0, 0]
    private static let request = "GET /private HTTP/1.1\r\nHost: a\r\n\r\n"

    /// The client addresses in the access log, one per request.
    private func clients(_ gateway: GatewayFixture, _ count: Int) async throws -> [String] {
        try await gateway.logLines(count).compactMap {
            $0.firstMatch(of: /"client":"([^"]*)"/).map { String($0.output.1) }
        }
    }

    // MARK: What is announced

    @Test(arguments: [
        (Array(line().utf8), "192.0.2.7"), (block, "192.0.2.7"),
        (Array("PROXY TCP6 2001:DB8::7 ::1 1 2\r\n".utf8), "2001:db8::7"),
        (Array("PROXY TCP6 ::ffff:192.0.2.7 ::1 1 2\r\n".utf8), "192.0.2.7"),
        (Array("PROXY UNKNOWN\r\n".utf8), "127.0.0.1"),
        (local, "127.0.0.1"),
    ])
    func `the announced client is logged and forwarded, however the bytes of the header are split`(
        header: [UInt8], client: String
    ) async throws {
        try await withGateway(Self.settings()) { gateway in
            let request = Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
            for parts in [[header + request], [header, request], (header + request).map { [$0] }] {
                let peer = try await gateway.connect()
                for part in parts { try await peer.sendAll(part) }
                let server = try await gateway.upstream.connection()
                let head = try await server.receive(through: "\r\n\r\n")
                #expect(values("x-forwarded-for", in: head) == [client])
                server.send("HTTP/1.1 204 No Content\r\n\r\n")
                #expect(firstLine(try await peer.receive(through: "\r\n\r\n")) == "HTTP/1.1 204 No Content")
                // A connection has one header: the next request has none.
                peer.send(Self.request)
                #expect(firstLine(try await peer.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            }
            #expect(try await clients(gateway, 6) == [String](repeating: client, count: 6))
            let result: ProxyHeaderResult = client == "127.0.0.1" ? .local : .announced
            #expect(gateway.gateway.state.connections.proxyHeaders.counts == [result: 3])
        }
    }

    @Test(arguments: [Array(line().utf8), block, local])
    func `the header comes before TLS, even in one segment with the client's first bytes`(header: [UInt8]) async throws
    {
        let identity = try TLSIdentity(
            certificate: Array(SampleCertificates.localhost.utf8), key: Array(SampleCertificates.privateKey.utf8))
        let security = try ListenerSecurity(identities: [identity], protocols: ["h2", "http/1.1"])
        let settings = try Self.settings { $0.service = .secure(TLSTermination(security)) }
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect(
                ClientTLS { $0.applicationProtocols = ["http/1.1"] }, preamble: header)
            client.send(Self.request)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            #expect(gateway.gateway.state.connections.handshakes.counts == [.completed: 1])
            #expect(try await clients(gateway, 1) == [header == Self.local ? "127.0.0.1" : "192.0.2.7"])
            // Without a header, the first byte of a TLS handshake is not a valid header.
            let bare = try await gateway.connect(ClientTLS())
            #expect(try await bare.ends())
            #expect(gateway.gateway.state.connections.proxyHeaders.counts[.invalid] == 1)
            #expect(gateway.gateway.state.connections.handshakes.counts == [.completed: 1])
        }
    }

    @Test func `HTTP/2 with prior knowledge begins after the header`() async throws {
        for header in [Array(Self.line().utf8), Self.block] {
            try await withGateway(Self.settings { $0.service = .plain(.both) }) { gateway in
                let client = try await gateway.connect()
                client.send(header + HTTP2Peer.preface + HTTP2Peer.frame(.settings, stream: 0))
                let peer = HTTP2Peer(client)
                peer.request([(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")])
                #expect(try await peer.answer().status == "401")
                #expect(try await clients(gateway, 1) == ["192.0.2.7"])
            }
        }
    }

    @Test func `a second PROXY header is a malformed request`() async throws {
        for second in [Array(Self.line("192.0.2.8").utf8), Self.block] {
            try await withGateway(Self.settings()) { gateway in
                let client = try await gateway.connect()
                client.send(Array(Self.line().utf8) + second + Array(Self.request.utf8))
                let answer = try await client.receiveToEnd()
                #expect(firstLine(answer) == "HTTP/1.1 400 Bad Request")
                #expect(try await clients(gateway, 1) == ["192.0.2.7"])
            }
        }
    }

    @Test func `without the setting a PROXY header is a malformed request, and its address is ignored`() async throws {
        try await withGateway { gateway in
            for header in [Array(Self.line().utf8), Self.block] {
                let client = try await gateway.connect()
                client.send(header + Array(Self.request.utf8))
                #expect(firstLine(try await client.receiveToEnd()) == "HTTP/1.1 400 Bad Request")
            }
            #expect(try await clients(gateway, 2) == ["127.0.0.1", "127.0.0.1"])
            #expect(gateway.gateway.state.connections.proxyHeaders.counts == [:])
        }
    }

    // MARK: Who is refused

    @Test func `a connection from an unlisted peer is closed before a byte is read`() async throws {
        try await withGateway(Self.settings(from: ["10.0.0.0/8", "::/96", "127.0.0.2"])) { gateway in
            for header in [Self.line("10.0.0.1"), Self.line("127.0.0.2"), Self.request] {
                let client = try await gateway.connect()
                client.send(header + Self.request)
                #expect(try await client.receiveToEnd() == "")
            }
            #expect(gateway.gateway.state.connections.proxyHeaders.counts == [.untrusted: 3])
        }
    }

    @Test(arguments: [
        Array(request.utf8), Array("PROXY TCP4 192.0.2.7 198.51.100.2 56324 443\n".utf8),
        Array("PROXY TCP4 ::1 ::1 1 2\r\n".utf8),
        [UInt8](repeating: UInt8(ascii: "P"), count: 300),
        Array("PROXY UNKNOWN ".utf8) + [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20),
        signature + [0x21, 0x11, 0xFF, 0xFF] + [UInt8](repeating: 0, count: 70_000), signature + [0x31, 0x11, 0, 12],
        signature + [0x21, 0x11, 0, 16] + [UInt8](repeating: 0, count: 16), [0x16, 3, 1, 2, 0, 1, 0, 1],
    ])
    func `a connection that begins with an invalid header is closed without an answer`(bytes: [UInt8]) async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(bytes)
            #expect(try await client.receiveToEnd() == "")
            try await eventually { gateway.gateway.openConnections == 0 }
            #expect(gateway.gateway.state.connections.proxyHeaders.counts == [.invalid: 1])
            #expect(gateway.gateway.state.decisions.finished.counts.isEmpty)
        }
    }

    @Test func `a connection that never completes its header is closed after the handshake timeout`() async throws {
        let settings = try Self.settings {
            $0.timeouts = ProxyTimeouts(handshake: .milliseconds(400), drain: .milliseconds(300))
            $0.limits.connectionsPerAddress = 1
        }
        try await withGateway(settings) { gateway in
            let silent = try await gateway.connect()
            let slow = try await gateway.connect()
            for byte in Self.line().utf8 where !slow.hasEnded {
                slow.send([byte])
                _ = try await holds(within: .milliseconds(50)) { slow.hasEnded }
            }
            #expect(slow.hasEnded)
            #expect(try await silent.ends())
            #expect(gateway.gateway.state.connections.proxyHeaders.counts == [.timedOut: 2])
            // The deadline applies to the header only, and has passed for a later connection.
            let client = try await gateway.connect()
            client.send(Self.line())
            try await eventually { gateway.gateway.state.connections.proxyHeaders.counts[.announced] == 1 }
            let later = try await gateway.connect()
            #expect(try await later.ends())
            client.send(Self.request)
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
        }
    }

    @Test func `connections of health checks that close at once leave no access log line`() async throws {
        try await withGateway(Self.settings()) { gateway in
            for (bytes, resets) in [
                ([], false), ([], true), (Self.local, false), (Self.local, true),
                (Array(Self.line().utf8.prefix(9)), false),
            ] {
                let client = try await gateway.connect()
                if !bytes.isEmpty { try await client.sendAll(bytes) }
                if resets { try await client.reset() } else { client.halfClose() }
                if !resets { #expect(try await client.receiveToEnd() == "") }
            }
            try await eventually { gateway.gateway.openConnections == 0 }
            let client = try await gateway.connect()
            client.send(Self.line() + Self.request)
            _ = try await client.receive(through: "}")
            #expect(try await clients(gateway, 1) == ["192.0.2.7"])
            let headers = gateway.gateway.state.connections.proxyHeaders.counts
            #expect(headers[.announced] == 1 && headers[.invalid] == nil && headers[.untrusted] == nil)
            // A reset may overtake the bytes sent before it.
            #expect((headers[.incomplete] ?? 0) + (headers[.local] ?? 0) == 5)
        }
    }

    // MARK: What the address counts for

    @Test func `the connection limit per address counts the announced address`() async throws {
        let settings = try Self.settings { $0.limits.connectionsPerAddress = 1 }
        try await withGateway(settings) { gateway in
            let silent = try await [gateway.connect(), gateway.connect()]
            try await eventually { gateway.gateway.openConnections == 2 }
            let (first, other) = (try await gateway.connect(), try await gateway.connect())
            for (client, address) in [(first, "192.0.2.7"), (other, "192.0.2.8")] {
                client.send(Self.line(address) + Self.request)
                #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            }
            let second = try await gateway.connect()
            second.send(Self.line("192.0.2.7") + Self.request)
            #expect(try await second.receiveToEnd() == "")
            #expect(gateway.gateway.state.limits.counts[.connectionsPerAddress] == 1)
            first.close()
            try await eventually { gateway.gateway.openConnections == 3 }
            let third = try await gateway.connect()
            third.send(Self.line("192.0.2.7") + Self.request)
            #expect(firstLine(try await third.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            // The limit also allows only one of the proxy's own connections.
            let check = try await gateway.connect()
            check.send(Self.local + Array(Self.request.utf8))
            #expect(firstLine(try await check.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            let another = try await gateway.connect()
            another.send(Self.local)
            #expect(try await another.ends())
            #expect(silent.allSatisfy { !$0.hasEnded })
        }
    }

    @Test func `the limit of failed verifications counts the announced address`() async throws {
        let forged = TestToken.good.with("iss", #""https://idp.example""#).signed(by: TestKeys.impostor)
        let settings = try Self.settings {
            $0.keys = TestKeys.set
            $0.limits.failedVerificationsPerAddress = 1
        }
        try await withGateway(settings) { gateway in
            let request = "GET /private HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(forged)\r\n\r\n"
            let (first, other) = (try await gateway.connect(), try await gateway.connect())
            first.send(Self.line("192.0.2.7"))
            var answers: [String] = []
            // Failures within one second count together.
            while answers.last != "HTTP/1.1 429 Too Many Requests", answers.count < 20 {
                first.send(request)
                answers.append(firstLine(try await first.receive(through: "}")))
            }
            #expect(answers.last == "HTTP/1.1 429 Too Many Requests")
            other.send(Self.line("192.0.2.8") + request)
            #expect(firstLine(try await other.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
        }
    }

    @Test func `trusted proxies are recognized by the announced address, not by the socket's`() async throws {
        let settings = try Self.settings {
            $0.trustedProxies = [try #require(AddressRange("192.0.2.0/24")), try #require(AddressRange("127.0.0.1"))]
        }
        try await withGateway(settings) { gateway in
            let request = "GET /private HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 203.0.113.9\r\n\r\n"
            for announced in ["192.0.2.7", "198.51.100.9"] {
                let client = try await gateway.connect()
                client.send(Self.line(announced) + request)
                _ = try await client.receive(through: "}")
            }
            #expect(try await clients(gateway, 2) == ["203.0.113.9", "198.51.100.9"])
        }
    }

    @Test func `a connection whose header arrives during a drain is served, and then closed`() async throws {
        let settings = try Self.settings { $0.timeouts = ProxyTimeouts(drain: .seconds(20)) }
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Array(Self.line().utf8.prefix(10)))
            try await eventually { gateway.gateway.openConnections == 1 }
            let drain = Task { await gateway.gateway.drain() }
            try await eventually { gateway.gateway.isDraining }
            client.send(Array(Self.line().utf8.dropFirst(10)) + Array(Self.request.utf8))
            let answer = try await client.receiveToEnd()
            #expect(answer == "" || firstLine(answer) == "HTTP/1.1 401 Unauthorized")
            await drain.value
        }
    }
}
