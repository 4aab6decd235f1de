import Foundation
import ProxySettings
import TestSupport
import Testing

@testable import ReverseProxy

/// Upstreams that fail, break the protocol or hang, and what this client and the next client see.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayUpstreamTests {
    static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    static let ok = "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\n\r\nok"

    /// Completes one exchange, which leaves an idle upstream connection.
    private func warmUp(_ gateway: GatewayFixture, _ client: RawPeer, connection: Int = 0) async throws -> RawPeer {
        client.send(Self.get)
        let server = try await gateway.upstream.connection(connection)
        _ = try await server.receive(through: "\r\n\r\n")
        server.send(Self.ok)
        _ = try await client.receive(through: "\r\n\r\nok")
        return server
    }

    /// Receives the next answer and returns its status.
    private func status(_ client: RawPeer) async throws -> Int? {
        let head = try await client.receive(through: "\r\n\r\n")
        if let length = values("content-length", in: head).first.flatMap({ Int($0) }) {
            _ = try await client.receive(count: length)
        }
        return firstLine(head).split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }

    // MARK: Unix sockets

    @Test func `an upstream may be behind a Unix socket`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path("b.sock")
        try await withGateway(upstream: try await RawUpstream.start(socketPath: path)) { gateway in
            let client = try await gateway.connect()
            for _ in 0..<2 {
                client.send("GET /a HTTP/1.1\r\nHost: api.example\r\n\r\n")
                let head = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
                #expect(firstLine(head) == "GET /a HTTP/1.1" && values("host", in: head) == ["api.example"])
                try await gateway.upstream.connection().send(Self.ok)
                #expect(try await status(client) == 200)
            }
            #expect(gateway.upstream.connectionCount == 1)
            client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(
                values("host", in: try await gateway.upstream.connection().receive(through: "\r\n\r\n")) == [
                    "localhost"
                ])
            try await gateway.upstream.connection().send(Self.ok)
            #expect(try await status(client) == 200)
            #expect(
                try await holds { gateway.gateway.state.attempts.sums.all[["unix:\(path)"]]?.count(.successful) == 3 })
            #expect(try await gateway.logLines(3).allSatisfy { $0.contains(#""upstream":"unix:\#(path)""#) })
        }
    }

    @Test func `a missing Unix socket is 502, and the log says so`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        try await withGateway(targets: [UpstreamTarget(socketPath: folder.path("b.sock"))]) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            #expect(try await status(client) == 502)
            let line = try #require(try await gateway.logLines(1).first)
            #expect(line.contains(#""upstream_error":"no connection: No such file or directory""#), "\(line)")
        }
    }

    // MARK: Announced ends

    /// An answer that announces an idle timeout with `Keep-Alive`.
    private static func ok(keptFor seconds: Int) -> String {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=\(seconds)\r\n\r\nok"
    }

    @Test func `a connection with an announced timeout is used until one second before it`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let first = try await gateway.upstream.connection()
            for _ in 0..<3 {
                _ = try await first.receive(through: "\r\n\r\n")
                first.send(Self.ok(keptFor: 3600))
                #expect(try await status(client) == 200)
                client.send(Self.get)
            }
            _ = try await first.receive(through: "\r\n\r\n")
            // The upstream now announces to close within the second.
            first.send(Self.ok(keptFor: 1))
            #expect(try await status(client) == 200)
            _ = try await first.receiveToEnd()
            client.send(Self.get)
            _ = try await gateway.upstream.connection(1).receive(through: "\r\n\r\n")
        }
    }

    @Test func `an idle connection is closed one second before its announced timeout`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let first = try await gateway.upstream.connection()
            _ = try await first.receive(through: "\r\n\r\n")
            first.send(Self.ok(keptFor: 2))
            #expect(try await status(client) == 200)
            // The connection closes before the general idle timeout of 30 s.
            _ = try await first.receiveToEnd()
        }
    }

    // MARK: The one retry

    @Test(arguments: ["GET", "HEAD", "OPTIONS"])
    func `a request is repeated when a reused connection closes before any answer (T325)`(method: String) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let first = try await warmUp(gateway, client)
            client.send("\(method) /again HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await first.receive(through: "\r\n\r\n")
            first.close()
            let second = try await gateway.upstream.connection(1)
            #expect(firstLine(try await second.receive(through: "\r\n\r\n")) == "\(method) /again HTTP/1.1")
            second.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(try await status(client) == 200)
        }
    }

    @Test(arguments: [
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx",
    ])
    func `a request that may have had an effect, or has a body, is not repeated (T325)`(request: String) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let first = try await warmUp(gateway, client)
            client.send(request)
            _ = try await first.receive(through: "\r\n\r\n")
            first.close()
            #expect(try await status(client) == 502)
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a request on a new connection that closes is not retried`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.close()
            #expect(try await status(client) == 502)
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a request whose reused connection closes within the answer is not retried`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let first = try await warmUp(gateway, client)
            client.send(Self.get)
            _ = try await first.receive(through: "\r\n\r\n")
            try await first.sendAll(Array("HTTP/1.1 20".utf8))
            first.close()
            #expect(try await status(client) == 502)
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `after a retry on a new connection there is no further retry`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let first = try await warmUp(gateway, client)
            client.send(Self.get)
            _ = try await first.receive(through: "\r\n\r\n")
            first.close()
            let second = try await gateway.upstream.connection(1)
            _ = try await second.receive(through: "\r\n\r\n")
            second.close()
            #expect(try await status(client) == 502)
            #expect(gateway.upstream.connectionCount == 2)
        }
    }

    @Test func `a target that refuses connections costs one attempt, even for a request with a body (F16)`()
        async throws
    {
        let dead = try await RawUpstream.start()
        let target = dead.target
        try await dead.stop()
        try await withGateway(GatewaySettings(moreTargets: [target])) { gateway in
            let echo = gateway.upstream.echo(through: "body")
            defer { echo.cancel() }
            let client = try await gateway.connect()
            for _ in 1...6 {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nbody")
                #expect(try await status(client) == 200)
            }
        }
    }

    @Test func `with all targets unreachable, requests are 502 and the client's connection stays open`() async throws {
        let dead = try await RawUpstream.start()
        let target = dead.target
        try await dead.stop()
        try await withGateway(targets: [target]) { gateway in
            let client = try await gateway.connect()
            for _ in 1...2 {
                client.send(Self.get)
                #expect(try await status(client) == 502)
            }
            #expect(try await gateway.logLines(2).allSatisfy { $0.contains(#""reason":"upstream_unreachable""#) })
        }
    }

    @Test func `a target may be a host name`() async throws {
        let upstream = try await RawUpstream.start()
        try await withGateway(targets: [UpstreamTarget(host: "localhost", port: upstream.target.port)]) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(Self.ok)
            #expect(try await status(client) == 200)
        }
        try await upstream.stop()
    }

    // MARK: Answers that are none

    @Test(arguments: [
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/3.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 1000 OK\r\nContent-Length: 0\r\n\r\n",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "\u{16}\u{3}\u{1}",
    ])
    func `an answer that cannot be relayed is 502 and ends the upstream connection (T321, T322, T244, T330, F21, F24)`(
        answer: String
    )
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(answer)
            if answer.utf8.count < 4 { server.close() }
            #expect(try await status(client) == 502)
            #expect(try await server.ends())
            #expect(try await gateway.logLines(1).allSatisfy { $0.contains(#""reason":"upstream_invalid""#) })
            _ = try await warmUp(gateway, client, connection: 1)
        }
    }

    @Test func `an upstream that half-closes without an answer is 502, and its connection is closed (F20)`()
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            let server = try await gateway.upstream.connection()
            server.halfClose()
            #expect(try await status(client) == 502)
            #expect(try await server.ends())
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `surplus bytes after a response reach no client (T323)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(Self.ok + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            _ = try await client.receive(through: "\r\n\r\nok")
            #expect(try await server.ends())
            client.send(Self.get)
            let second = try await gateway.upstream.connection(1)
            _ = try await second.receive(through: "\r\n\r\n")
            second.send(Self.ok)
            #expect(try await client.receive(through: "\r\n\r\nok").contains("evil") == false)
        }
    }

    @Test func `an unsolicited response closes an idle connection (T324)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let server = try await warmUp(gateway, client)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")
            #expect(try await server.ends())
            _ = try await warmUp(gateway, client, connection: 1)
            #expect(client.text == "")
        }
    }

    @Test func `an idle connection that the upstream closes is not used`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let server = try await warmUp(gateway, client)
            server.halfClose()
            #expect(try await server.ends())
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let second = try await gateway.upstream.connection(1)
            _ = try await second.receive(through: "\r\n\r\n")
            second.send(Self.ok)
            #expect(try await status(client) == 200)
        }
    }

    @Test(arguments: ["Connection: close\r\nContent-Length: 2\r\n\r\nok", "\r\nok"])
    func `an upstream connection that closes with the answer is not used again (T333)`(rest: String) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.sendAll(Array("HTTP/1.1 200 OK\r\nDate: d\r\n\(rest)".utf8))
            server.close()
            _ = try await client.receive(through: "ok")
            if rest.hasPrefix("\r\n") { _ = try await client.receive(through: "0\r\n\r\n") }
            _ = try await warmUp(gateway, client, connection: 1)
        }
    }

    // MARK: Answers that break off

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 9\r\n\r\nabc",
        "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ])
    func `an upstream answer that breaks off is cut off for the client too (T326, F18, F19)`(answer: String)
        async throws
    {
        try await withGateway { gateway in
            for version in ["1.1", "1.0"] {
                let client = try await gateway.connect()
                client.send("GET / HTTP/\(version)\r\nHost: a\r\n\r\n")
                let server = try await gateway.upstream.connection(version == "1.1" ? 0 : 1)
                _ = try await server.receive(through: "\r\n\r\n")
                server.send(answer)
                _ = try await client.receive(through: "abc")
                server.close()
                #expect(try await client.ends())
                #expect(client.wasReset)
                #expect(!client.text.contains("0\r\n\r\n"))
            }
        }
    }

    @Test func `a connection reset does not complete a close-delimited body`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\n\r\nabc")
            _ = try await client.receive(through: "abc\r\n")
            try await server.reset()
            #expect(try await client.ends())
            #expect(client.wasReset && client.text == "")
        }
    }

    @Test func `invalid chunks after the head abort the answer (T322)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            _ = try await client.receive(through: "abc\r\n")
            server.send("-1\r\n")
            #expect(try await client.ends())
            #expect(client.wasReset && client.text == "")
            #expect(try await server.ends())
        }
    }

    // MARK: Early answers, late clients

    @Test func `an answer before the end of the request is relayed and closes both connections (T329, T338)`()
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nxyz")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "xyz")
            server.send("HTTP/1.1 413 Content Too Large\r\nDate: d\r\nContent-Length: 2\r\n\r\nno")
            #expect(
                withoutRequestIDs(try await client.receiveToEnd())
                    == "HTTP/1.1 413 Content Too Large\r\nDate: d\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            #expect(try await server.ends())
        }
    }

    @Test func `request and response bodies can stream at the same time`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\n")
            for piece in ["a", "b", "c"] {
                client.send("1\r\n\(piece)\r\n")
                _ = try await server.receive(through: "1\r\n\(piece)\r\n")
                server.send("1\r\n\(piece)\r\n")
                _ = try await client.receive(through: "1\r\n\(piece)\r\n")
            }
            client.send("0\r\n\r\n")
            _ = try await server.receive(through: "0\r\n\r\n")
            server.send("0\r\n\r\n")
            #expect(try await client.receiveToEnd() == "0\r\n\r\n")
        }
    }

    @Test(arguments: [true, false])
    func `a client that disconnects closes its upstream connection (T336)`(answerHasBegun: Bool) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            if answerHasBegun {
                server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1000\r\n\r\nabc")
                _ = try await client.receive(through: "abc")
            }
            try await client.reset()
            #expect(try await server.ends(within: .milliseconds(500)))
            #expect(
                try await gateway.logLines(1).allSatisfy {
                    $0.contains(answerHasBegun ? #""status":200"# : #""status":null"#)
                })
        }
    }

    @Test func `a request whose body breaks off never looks complete to the upstream (T236)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "abc\r\n")
            client.halfClose()
            #expect(try await server.receiveToEnd() == "")
            #expect(firstLine(try await client.receiveToEnd()) == "HTTP/1.1 400 Bad Request")
        }
    }

    @Test func `a request with invalid chunks never looks complete to the upstream (T229)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "abc\r\n")
            client.send("0x5\r\nhello\r\n0\r\n\r\n")
            #expect(try await server.receiveToEnd() == "")
            #expect(firstLine(try await client.receiveToEnd()) == "HTTP/1.1 400 Bad Request")
        }
    }

    // MARK: Time

    @Test func `an upstream that does not answer is 504, and its connection is closed (F17)`() async throws {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(firstByte: .milliseconds(200), drain: .zero))) {
            gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            #expect(try await status(client) == 504)
            #expect(try await server.ends())
            _ = try await warmUp(gateway, client, connection: 1)
        }
    }

    @Test func `an upstream that stalls within its answer is cut off (T334)`() async throws {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(bodyIdle: .milliseconds(200), drain: .zero))) {
            gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 9\r\n\r\nabc")
            _ = try await client.receive(through: "abc")
            #expect(try await client.ends())
            #expect(client.wasReset)
            #expect(try await server.ends())
        }
    }

    // MARK: What is left over

    /// Responses that exactly fill a receive buffer, so that the bytes after them are still in the kernel. With more
    /// than a segment of 64 KiB they might not even have been sent.
    @Test(arguments: [2048, 4096, 8192, 16_384, 32_768])
    func `surplus bytes after a response that exactly fills a read reach no client (T323)`(size: Int) async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get + "GET /second HTTP/1.1\r\nHost: a\r\n\r\n")
            let first = try await gateway.upstream.connection()
            _ = try await first.receive(through: "\r\n\r\n")
            let head = "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: "
            let length = size - head.utf8.count - 4 - String(size).utf8.count
            let padding = String(repeating: "x", count: size - head.utf8.count - 4 - String(length).utf8.count)
            let answer = head + "\(padding.utf8.count)\r\n\r\n" + padding
            #expect(answer.utf8.count == size)
            first.send(answer + "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL")
            let second = try await gateway.upstream.connection(1)
            #expect(firstLine(try await second.receive(through: "\r\n\r\n")) == "GET /second HTTP/1.1")
            second.send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood")
            let answers = try await client.receive(through: "good")
            #expect(!answers.contains("EVIL"))
        }
    }
}
