import Foundation
import NetworkNames
import ProxySettings
import Testing

@testable import ReverseProxy

/// Timeouts, reloads, draining, and the access log.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayLifeTests {
    static let get = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test func `a head or body that is not complete in time is 408 (T248, T236)`() async throws {
        let timeouts = ProxyTimeouts(head: .milliseconds(200), bodyIdle: .milliseconds(200), drain: .zero)
        try await withGateway(GatewaySettings(timeouts: timeouts)) { gateway in
            let head = try await gateway.connect()
            head.send("GET / HTTP/1.1\r\nHo")
            #expect(firstLine(try await head.receiveToEnd()) == "HTTP/1.1 408 Request Timeout")
            let body = try await gateway.connect()
            body.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nab")
            let server = try await gateway.upstream.connection()
            #expect(firstLine(try await body.receiveToEnd()) == "HTTP/1.1 408 Request Timeout")
            #expect(try await server.receiveToEnd().hasSuffix("\r\n\r\nab"))
        }
    }

    @Test func `a head that trickles in is cut off at the same deadline (T394)`() async throws {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(head: .milliseconds(400), drain: .zero))) {
            gateway in
            let client = try await gateway.connect()
            let begin = ContinuousClock.now
            for byte in Array("GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa".utf8) where !client.hasEnded
            {
                client.send([byte])
                try await Task.sleep(for: .milliseconds(30))
            }
            #expect(client.hasEnded && ContinuousClock.now - begin < .seconds(2))
        }
    }

    @Test func `a connection without a request is closed without an answer (T404)`() async throws {
        let timeouts = ProxyTimeouts(head: .milliseconds(200), idle: .milliseconds(200), drain: .zero)
        try await withGateway(GatewaySettings(timeouts: timeouts)) { gateway in
            let silent = try await gateway.connect()
            let used = try await gateway.connect()
            used.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await used.receive(through: "}")
            #expect(try await silent.receiveToEnd() == "")
            #expect(try await used.receiveToEnd() == "")
            try await eventually { gateway.gateway.openConnections == 0 }
        }
    }

    @Test func `a client that does not read its answer is cut off, and a client that reads slowly is not (T396)`()
        async throws
    {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(bodyIdle: .milliseconds(1500), drain: .zero))) {
            gateway in
            let content = [UInt8](repeating: 0x61, count: 16 << 20)
            for isSlow in [false, true] {
                let client = try await gateway.connect()
                client.send(Self.get)
                let server = try await gateway.upstream.connection(isSlow ? 1 : 0)
                _ = try await server.receive(through: "\r\n\r\n")
                try await client.setReading(false)
                server.send(Array("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n".utf8) + content)
                if isSlow {
                    for _ in 1...12 {
                        try await client.setReading(true)
                        try await Task.sleep(for: .milliseconds(4))
                        try await client.setReading(false)
                        try await Task.sleep(for: .milliseconds(250))
                    }
                    try await client.setReading(true)
                    _ = try await client.receive(through: "\r\n\r\n")
                    #expect(try await client.receive(count: content.count) == content)
                } else {
                    #expect(try await server.ends())
                }
            }
        }
    }

    // MARK: Reload

    @Test func `reloads under load drop no request, and each request belongs to one generation`() async throws {
        try await withGateway(GatewaySettings(eventLoops: 2)) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let reloads = Task {
                for generation in 2...60 {
                    var settings = GatewaySettings()
                    settings.hostOverride = "generation-\(generation)"
                    await gateway.gateway.reload(
                        try settings.configuration(for: [gateway.upstream.target], generation: generation))
                    try await Task.sleep(for: .milliseconds(2))
                }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let client = try await gateway.connect()
                        for request in 0..<100 {
                            client.send("GET /\(number)/\(request) HTTP/1.1\r\nHost: generation-1\r\n\r\n")
                            let head = try await client.receive(through: "\r\n\r\n")
                            #expect(firstLine(head) == "HTTP/1.1 200 OK")
                            let echoed = try await client.receive(through: "\r\n\r\n")
                            #expect(firstLine(echoed) == "GET /\(number)/\(request) HTTP/1.1")
                            #expect(values("host", in: echoed).count == 1)
                        }
                    }
                }
                try await group.waitForAll()
            }
            try await reloads.value
            #expect(gateway.gateway.configuration.generation == 60)
        }
    }

    @Test func `a request in progress completes under its own generation (T423)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let other = try await RawUpstream.start()
            await gateway.gateway.reload(try GatewaySettings().configuration(for: [other.target], generation: 2))
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1")
            _ = try await client.receive(through: "\r\n\r\n1")
            client.send(Self.get)
            _ = try await other.connection().receive(through: "\r\n\r\n")
            try await other.stop()
        }
    }

    @Test func `a head that was incomplete at a reload is judged by the new configuration`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\n")
            try await eventually { gateway.gateway.requestCount == 1 }
            let other = try await RawUpstream.start()
            await gateway.gateway.reload(try GatewaySettings().configuration(for: [other.target], generation: 2))
            client.send("Host: a\r\n\r\n")
            _ = try await other.connection().receive(through: "\r\n\r\n")
            #expect(gateway.upstream.connectionCount == 0)
            try await other.stop()
        }
    }

    @Test func `a line end after a body is not taken for a request`() async throws {
        let timeouts = ProxyTimeouts(head: .milliseconds(200), idle: .milliseconds(900), drain: .zero)
        try await withGateway(GatewaySettings(timeouts: timeouts)) { gateway in
            let client = try await gateway.connect()
            client.send("GET /private HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx\r\n")
            _ = try await client.receive(through: "}")
            // A head begun at the same time would have timed out by now.
            let other = try await gateway.connect()
            other.send("GET")
            #expect(try await other.receiveToEnd().hasPrefix("HTTP/1.1 408 "))
            #expect(!client.hasEnded)
            client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            client.send("\r\n")
            #expect(try await client.receiveToEnd() == "")
        }
    }

    // MARK: The end

    @Test func `draining closes idle connections after a while, and lets answers complete (T431)`() async throws {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(drain: .seconds(10)))) { gateway in
            let idle = try await gateway.connect()
            idle.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await idle.receive(through: "}")
            let busy = try await gateway.connect()
            busy.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let drained = Task { await gateway.gateway.drain() }
            #expect(try await idle.receiveToEnd() == "")
            idle.close()
            await #expect(throws: (any Error).self) { try await gateway.connect() }
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\n\r\nok")
            let answer = withoutRequestIDs(try await busy.receive(through: "ok"))
            #expect(answer == "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            busy.close()
            await drained.value
            #expect(gateway.gateway.openConnections == 0)
        }
    }

    @Test func `draining answers the next request of an idle connection with Connection close (T431)`()
        async throws
    {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(drain: .seconds(10)))) { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            client.send(Self.get)
            _ = try await client.receive(through: "\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\n")
            let drained = Task { await gateway.gateway.drain() }
            // Once no new connection is accepted, the event loops know of the drain.
            while let late = try? await gateway.connect() { late.close() }
            client.send(Self.get)
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 200 OK")
            #expect(values("connection", in: head) == ["close"])
            #expect(try await client.receiveToEnd().hasPrefix("GET "))
            #expect(!client.wasReset)
            client.close()
            await drained.value
        }
    }

    @Test func `a connection promised to stay open takes one more request after its answer ends during a drain`()
        async throws
    {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(drain: .seconds(10)))) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\no")
            #expect(values("connection", in: try await client.receive(through: "\r\n\r\no")) == [])
            let drained = Task { await gateway.gateway.drain() }
            while let late = try? await gateway.connect() { late.close() }
            server.send("k")
            _ = try await client.receive(through: "k")
            client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await client.receiveToEnd()
            #expect(firstLine(answer) == "HTTP/1.1 401 Unauthorized")
            #expect(values("connection", in: answer) == ["close"])
            client.close()
            await drained.value
        }
    }

    @Test
    func `T431 a drain answers a client that just connected, and does not wait for silent clients`()
        async throws
    {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(drain: .seconds(10)))) { gateway in
            let (asking, silent) = (try await gateway.connect(), try await gateway.connect())
            try await eventually { gateway.gateway.openConnections == 2 }
            let drained = Task { await gateway.gateway.drain() }
            // Once no new connection is accepted, the event loops know of the drain.
            while let late = try? await gateway.connect() { late.close() }
            asking.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await asking.receiveToEnd()) == "HTTP/1.1 401 Unauthorized")
            #expect(try await silent.receiveToEnd() == "")
            await drained.value
            #expect(gateway.gateway.openConnections == 0)
        }
    }

    @Test func `draining ends after its timeout`() async throws {
        try await withGateway(GatewaySettings(timeouts: ProxyTimeouts(drain: .milliseconds(200)))) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            _ = try await gateway.upstream.connection().receive(through: "\r\n\r\n")
            let begin = ContinuousClock.now
            await gateway.gateway.drain()
            #expect(ContinuousClock.now - begin < .seconds(2))
            #expect(try await client.ends())
        }
    }

    @Test func `a draining gateway accepts connections during the drain delay`() async throws {
        let timeouts = ProxyTimeouts(drain: .milliseconds(200), drainDelay: .milliseconds(400))
        try await withGateway(GatewaySettings(timeouts: timeouts)) { gateway in
            let drained = Task { await gateway.gateway.drain() }
            try await eventually { gateway.gateway.isDraining }
            let client = try await gateway.connect()
            client.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "}")) == "HTTP/1.1 401 Unauthorized")
            await drained.value
        }
    }

    // MARK: The log

    @Test func `a forwarded request is one access log line with the documented members`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let request = "POST /a/%7eb?secret=1 HTTP/1.1\r\nHost: Api.Example:80\r\nContent-Length: 3\r\n\r\nxyz"
            client.send(request)
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "xyz")
            server.send("HTTP/1.1 201 Created\r\nDate: d\r\nContent-Length: 2\r\n\r\nok")
            let answer = try await client.receive(through: "ok")
            let line = try #require(try await gateway.logLines(1).first)
            let requestID = try #require(values("x-request-id", in: head).first)
            let pattern = try Regex(
                #"\{"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z","request_id":"\#(requestID)","client":"127\.0\.0\.1","method":"POST","#
                    + #""host":"Api\.Example:80","path":"/a/~b","resource":"open","rule":"ANY /\*\*","status":201,"reason":null,"#
                    + #""issuer":null,"subject":null,"client_id":null,"kid":null,"token_id":null,"cache":null,"#
                    + #""upstream":"127\.0\.0\.1:\#(gateway.upstream.target.port)","upstream_status":201,"#
                    + #""duration_us":\d+,"upstream_us":\d+,"#
                    + #""bytes_in":\#(request.utf8.count),"bytes_out":\#(answer.utf8.count),"protocol":"http/1\.1"\}"#)
            #expect(line.wholeMatch(of: pattern) != nil, "\(line)")
        }
    }

    @Test func `a malformed request is one access log line, and none of its bytes can end that line (T426)`()
        async throws
    {
        try await withGateway { gateway in
            let first = try await gateway.connect()
            first.send("GET / HTTP/1.1\r\nHost: a\r\nX\n: 1\r\n\r\n")
            _ = try await first.receiveToEnd()
            let second = try await gateway.connect()
            second.send("GET /%0a%22/.. HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await second.receiveToEnd()
            let third = try await gateway.connect()
            third.send("GET /\u{202E}gpj.exe\u{FEFF}\\ HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await third.receiveToEnd()
            let lines = try await gateway.logLines(3)
            #expect(lines[2].contains(#""path":"/\u202egpj.exe\ufeff\\","#), "\(lines[2])")
            #expect(
                lines[0].contains(
                    #""method":null,"host":null,"path":null,"resource":null,"rule":null,"status":400,"reason":"bad_request""#
                )
            )
            #expect(lines[1].contains(#""method":"GET","host":"a","path":"/%0a%22/..","resource":null"#))
        }
    }

    @Test func `the client behind a trusted peer is the last untrusted address (T308)`() async throws {
        let trusted = ["127.0.0.0/8", "10.0.0.0/8"].compactMap { AddressRange($0) }
        try await withGateway(GatewaySettings(trustedProxies: trusted)) { gateway in
            let client = try await gateway.connect()
            client.send(
                "GET /private HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 1.1.1.1, 203.0.113.7, 10.1.2.3\r\nX-Request-Id: mine\r\n\r\n"
            )
            _ = try await client.receive(through: "}")
            #expect(
                try await gateway.logLines(1).first?.contains(#""request_id":"mine","client":"203.0.113.7""#) == true)
        }
    }
}
