import Foundation
import NIOCore
import ProxySettings
import RequestAuthorization
import Testing

@testable import ReverseProxy

/// Requests that are judged by their body, which is held until complete and then forwarded unchanged.
@Suite(.timeLimit(.minutes(2)))
struct GatewayJudgedBodyTests {
    private static let limit = 64

    private func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) -> GatewaySettings {
        var settings = GatewaySettings(judgedBody: Self.limit)
        change(&settings)
        return settings
    }

    /// Waits until held bodies take the given memory in bytes; nothing of the request is forwarded by then.
    private func expectHeld(_ byteCount: Int, _ gateway: GatewayFixture) async throws {
        try await eventually { gateway.gateway.state.heldBodies.byteCount == byteCount }
        #expect(gateway.upstream.connectionCount == 0)
    }

    @Test func `a judged body is forwarded only once it is complete`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            try await expectHeld(8, gateway)
            client.send("world")
            let server = try await gateway.upstream.connection()
            #expect(try await server.receive(through: "helloworld").hasPrefix("POST /a HTTP/1.1\r\n"))
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
            server.send("!")
            #expect(try await client.receive(through: "!") == "!")
            // The connection stays usable.
            client.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await server.receive(through: "\r\n\r\n")) == "GET /b HTTP/1.1")
            server.send("HTTP/1.1 204 No Content\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 204 No Content")
        }
    }

    @Test func `a judged chunked body is forwarded with its trailers`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            try await expectHeld(8, gateway)
            client.send("1\r\n!\r\n0\r\nx-sum: 1\r\n\r\n")
            let server = try await gateway.upstream.connection()
            let sent = try await server.receive(through: "\r\n0\r\n\r\n")
            #expect(sent.hasSuffix("\r\n\r\n6\r\nhello!\r\n0\r\n\r\n"))
        }
    }

    @Test func `a body that came with its head, or an empty body, is judged without a wait`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok")
            let server = try await gateway.upstream.connection()
            #expect(try await server.receive(through: "ok").hasPrefix("POST / "))
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\n")
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            #expect(try await server.receive(through: "\r\n\r\n").hasPrefix("POST / "))
        }
    }

    @Test func `a client with Expect gets 100 from the gateway, and Expect is not forwarded`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 \r\n\r\n")
            #expect(gateway.upstream.connectionCount == 0)
            client.send("ok")
            let server = try await gateway.upstream.connection()
            #expect(values("Expect", in: try await server.receive(through: "ok")).isEmpty)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `a body over HTTP 2 is judged like one over HTTP 1.1`() async throws {
        try await withGateway(settings { $0.service = .plain(.http2) }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.send(
                .headers, flags: 4, stream: 1,
                HTTP2Peer.block(HTTP2Peer.usual.map { $0.0 == ":method" ? ($0.0, "POST") : $0 }))
            client.send(.data, stream: 1, Array("hello".utf8))
            try await expectHeld(8, gateway)
            client.send(.data, flags: 1, stream: 1, Array("world".utf8))
            let server = try await gateway.upstream.connection()
            #expect(try await server.receive(through: "\r\n0\r\n\r\n").hasSuffix("a\r\nhelloworld\r\n0\r\n\r\n"))
            server.send("HTTP/1.1 204 No Content\r\n\r\n")
            _ = try await client.next(.headers)
        }
    }

    @Test func `trailers that a client may not state are dropped, even if no trailer is left`() async throws {
        try await withGateway(settings { $0.service = .plain(.http2) }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(HTTP2Peer.usual.map { $0.0 == ":method" ? ($0.0, "POST") : $0 }, ends: false)
            client.send(.data, stream: 1, Array("hello".utf8))
            client.send(
                .headers, flags: 5, stream: 1,
                HTTP2Peer.block([("authorization", "Bearer x"), ("x-auth-subject", "root")]))
            let server = try await gateway.upstream.connection()
            // Not "0\r\n" alone, with which a request ID of the head may end.
            #expect(try await server.receive(through: "\r\n0\r\n\r\n").hasSuffix("5\r\nhello\r\n0\r\n\r\n"))
            server.send("HTTP/1.1 204 No Content\r\n\r\n")
            _ = try await client.next(.headers)
        }
    }

    // MARK: Refused

    @Test func `a request without permission is refused before its body is read`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST /private HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 401 Unauthorized")
        }
    }

    @Test(arguments: [
        "Content-Length: 65\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n41\r\n" + String(repeating: "x", count: 65) + "\r\n",
    ])
    func `a judged body over its limit is 413, and none of it is forwarded`(rest: String) async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\n" + rest)
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 413 Content Too Large")
            #expect(gateway.upstream.connectionCount == 0)
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
        }
    }

    @Test func `with the memory for held bodies used up, the request is 503`() async throws {
        try await withGateway(settings { $0.limits.replayTotal = 16 }) { gateway in
            let (first, second) = (try await gateway.connect(), try await gateway.connect())
            first.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n0123456789abcdef")
            try await expectHeld(16, gateway)
            second.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nx")
            let answer = try await second.receive(through: "\r\n\r\n")
            #expect(
                firstLine(answer) == "HTTP/1.1 503 Service Unavailable" && values("Retry-After", in: answer) == ["1"])
            #expect(gateway.gateway.state.limits.counts[.replayTotal] == 1)
        }
    }

    @Test func `with memory short, a request with a held body is refused as a whole`() async throws {
        let memory = ScriptedMemory()
        try await withGateway(settings { $0.memory = memory.watch() }) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            try await expectHeld(8, gateway)
            memory.use(percent: 92)
            try await eventually { gateway.memoryLevel != .ample }
            #expect(gateway.gateway.state.heldBodies.byteCount == 8)
            client.close()
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
        }
    }

    @Test func `a client that stalls within its body gets 408, and one that half-closes there gets 400`() async throws {
        try await withGateway(settings { $0.timeouts.bodyIdle = .milliseconds(500) }) { gateway in
            let (late, ended) = (try await gateway.connect(), try await gateway.connect())
            late.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            ended.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            try await expectHeld(16, gateway)
            ended.halfClose()
            #expect(firstLine(try await ended.receive(through: "\r\n\r\n")) == "HTTP/1.1 400 Bad Request")
            #expect(firstLine(try await late.receive(through: "\r\n\r\n")) == "HTTP/1.1 408 Request Timeout")
            #expect(gateway.upstream.connectionCount == 0)
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
        }
    }

    @Test func `a client that disconnects releases the memory of its held body`() async throws {
        try await withGateway(settings()) { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello")
            try await expectHeld(8, gateway)
            try await client.reset()
            try await eventually { gateway.gateway.state.heldBodies.byteCount == 0 }
            #expect(gateway.upstream.connectionCount == 0)
        }
    }
}
