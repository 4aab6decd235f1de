import ProxySettings
import Testing

@testable import ReverseProxy

/// Requests and responses over real sockets, compared byte for byte on each side.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayRelayTests {
    @Test func `a request is forwarded with its path, and its response is relayed`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET /a/%7eb?x=%7e HTTP/1.1\r\nHost: api.example\r\nAccept: */*\r\n\r\n")
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "GET /a/~b?x=%7e HTTP/1.1")
            #expect(values("host", in: head) == ["api.example"])
            #expect(values("accept", in: head) == ["*/*"])
            #expect(values("x-forwarded-for", in: head) == ["127.0.0.1"])
            #expect(values("x-forwarded-proto", in: head) == ["http"])
            #expect(values("x-forwarded-host", in: head) == ["api.example"])
            #expect(values("via", in: head) == ["1.1 bearward"])
            #expect(values("x-request-id", in: head).first?.utf8.count == 32)
            #expect(values("connection", in: head) == [])
            server.send(
                "HTTP/1.1 200 Fine\r\nServer: s\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nContent-Length: 2\r\n\r\nok")
            let response = try await client.receive(through: "ok")
            let requestID = try #require(values("x-request-id", in: head).first)
            let fields =
                "Server: s\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\nX-Request-Id: \(requestID)\r\nContent-Length: 2\r\n"
            #expect(response == "HTTP/1.1 200 Fine\r\n\(fields)\r\nok")
        }
    }

    @Test func `client and upstream connections are reused`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            for number in 1...3 {
                client.send("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                let server = try await gateway.upstream.connection()
                #expect(firstLine(try await server.receive(through: "\r\n\r\n")) == "GET /\(number) HTTP/1.1")
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n\(number)")
                #expect(try await client.receive(through: "\r\n\r\n\(number)").hasPrefix("HTTP/1.1 200 OK\r\n"))
            }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    // MARK: Framing of responses

    @Test(arguments: [
        (
            "HEAD", "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 5\r\n\r\n"
        ),
        (
            "HEAD", "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nDate: d\r\n\r\n"
        ),
        ("GET", "HTTP/1.1 204 No Content\r\nDate: d\r\n\r\n", "HTTP/1.1 204 No Content\r\nDate: d\r\n\r\n"),
        (
            "GET", "HTTP/1.1 304 Not Modified\r\nDate: d\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 304 Not Modified\r\nDate: d\r\nContent-Length: 5\r\n\r\n"
        ),
        (
            "GET",
            "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nT: v\r\n\r\n",
            "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n"
        ),
        (
            "GET", "HTTP/1.1 205 Reset Content\r\nDate: d\r\nContent-Length: 3\r\n\r\nabc",
            "HTTP/1.1 205 Reset Content\r\nDate: d\r\nContent-Length: 0\r\n\r\n"
        ),
    ])
    func `a response is reframed for the client, and both connections stay open`(
        method: String, sent: String, seen: String
    )
        async throws
    {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            for _ in 1...2 {
                client.send("\(method) / HTTP/1.1\r\nHost: a\r\n\r\n")
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "\r\n\r\n")
                server.send(sent)
                let received = try await client.receive(count: seen.utf8.count + requestIDLength)
                #expect(withoutRequestIDs(String(decoding: received, as: UTF8.self)) == seen)
            }
            #expect(client.text == "")
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a body that ends with the upstream's connection is chunked for HTTP 1.1 (T332)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.0 200 OK\r\n\r\nabc")
            _ = try await client.receive(through: "3\r\nabc\r\n")
            server.send("de")
            _ = try await client.receive(through: "2\r\nde\r\n")
            #expect(client.text == "")
            server.close()
            _ = try await client.receive(through: "0\r\n\r\n")
            client.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await gateway.upstream.connection(1).receive(through: "\r\n\r\n")
        }
    }

    @Test func `an HTTP 1.0 client gets a close-delimited body in place of chunks (T332)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "GET / HTTP/1.1")
            #expect(values("host", in: head) == ["127.0.0.1:\(gateway.upstream.target.port)"])
            #expect(values("via", in: head) == ["1.0 bearward"])
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            let answer = withoutRequestIDs(try await client.receiveToEnd())
            #expect(answer == "HTTP/1.1 200 OK\r\nDate: d\r\nConnection: close\r\n\r\nabc")
        }
    }

    @Test func `an HTTP 1.0 client may ask to keep its connection`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            for _ in 1...2 {
                client.send("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "\r\n\r\n")
                server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1\r\n\r\nx")
                #expect(
                    withoutRequestIDs(try await client.receive(through: "\r\n\r\nx"))
                        == "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1\r\nConnection: keep-alive\r\n\r\nx")
            }
        }
    }

    @Test func `a response without Date gets one`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            let date = try #require(values("date", in: try await client.receive(through: "\r\n\r\n")).first)
            #expect(date.utf8.count == 29 && date.hasSuffix(" GMT"))
        }
    }

    @Test func `hop-by-hop and identity fields of a response are removed (T314)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(
                "HTTP/1.1 200 OK\r\nDate: d\r\nConnection: X-Hop\r\nX-Hop: 1\r\nKeep-Alive: timeout=5\r\nX_Auth_Subject: evil\r\n"
                    + "x-auth-subject: evil\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n")
            #expect(
                withoutRequestIDs(try await client.receive(through: "\r\n\r\n"))
                    == "HTTP/1.1 200 OK\r\nDate: d\r\nSet-Cookie: a\r\nSet-Cookie: b\r\nContent-Length: 0\r\n\r\n")
        }
    }

    // MARK: Request bodies

    @Test func `a body of known length is forwarded unchanged`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nabc")
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("content-length", in: head) == ["6"])
            _ = try await server.receive(through: "abc")
            client.send("defGET /next HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await server.receive(through: "def")
            #expect(server.text == "")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(try await server.receive(through: "\r\n\r\n")) == "GET /next HTTP/1.1")
        }
    }

    @Test func `a chunked body is reframed, and its trailers are dropped (T230)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\na\r\n2;e=1\r\nbc\r\n")
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("transfer-encoding", in: head) == ["chunked"])
            _ = try await server.receive(through: "3\r\nabc\r\n")
            client.send("0\r\nX-Auth-Subject: evil\r\nContent-Length: 3\r\n\r\n")
            #expect(try await server.receive(through: "0\r\n\r\n") == "0\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            _ = try await client.receive(through: "\r\n\r\n")
        }
    }

    @Test func `100 Continue is sent by the upstream, not by the gateway (T032)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n")
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("expect", in: head) == ["100-continue"])
            server.send("HTTP/1.1 100 Continue\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("abc")
            _ = try await server.receive(through: "abc")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 OK\r\n"))
        }
    }

    @Test func `interim responses are relayed up to ten, and not to HTTP 1.0 (T327)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let hint = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            server.send(String(repeating: hint, count: 10) + "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n\r\n")
            for _ in 1...10 { #expect(try await client.receive(through: "\r\n\r\n") == hint) }
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(String(repeating: hint, count: 11) + "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n\r\n")
            for _ in 1...10 { #expect(try await client.receive(through: "\r\n\r\n") == hint) }
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 502 Bad Gateway")

            let old = try await gateway.connect()
            old.send("GET / HTTP/1.0\r\n\r\n")
            let second = try await gateway.upstream.connection(1)
            _ = try await second.receive(through: "\r\n\r\n")
            second.send(hint + "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 0\r\n\r\n")
            #expect(firstLine(try await old.receiveToEnd()) == "HTTP/1.1 200 OK")
        }
    }

    // MARK: Order and splitting

    @Test func `pipelined requests are answered in order (T239)`() async throws {
        try await withGateway { gateway in
            let echo = gateway.upstream.echo()
            defer { echo.cancel() }
            let client = try await gateway.connect()
            let numbers = Array(0..<200)
            client.send(
                numbers.map { "GET /\($0 % 3 == 1 ? "private/" : "")\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in numbers {
                let head = try await client.receive(through: "\r\n\r\n")
                let length = try #require(values("content-length", in: head).first.flatMap { Int($0) })
                let body = String(decoding: try await client.receive(count: length), as: UTF8.self)
                if number % 3 == 1 {
                    #expect(firstLine(head) == "HTTP/1.1 401 Unauthorized")
                } else {
                    #expect(firstLine(body) == "GET /\(number) HTTP/1.1")
                }
            }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a request is read the same at every split of its bytes (T247, F27)`() async throws {
        try await withGateway { gateway in
            let request = Array(
                "POST /p?q HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8)
            let client = try await gateway.connect()
            for split in 1..<request.count {
                try await client.sendAll(Array(request[..<split]))
                try await Task.sleep(for: .milliseconds(1))
                client.send(Array(request[split...]))
                let server = try await gateway.upstream.connection()
                let head = try await server.receive(through: "\r\n\r\n")
                #expect(firstLine(head) == "POST /p?q HTTP/1.1" && values("transfer-encoding", in: head) == ["chunked"])
                try await expectContent("abc", from: server)
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                _ = try await client.receive(through: "ok")
            }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `a response is read the same at every split of its bytes`() async throws {
        try await withGateway { gateway in
            let response = Array(
                "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n".utf8)
            let client = try await gateway.connect()
            for split in 1..<response.count {
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "\r\n\r\n")
                try await server.sendAll(Array(response[..<split]))
                try await Task.sleep(for: .milliseconds(1))
                server.send(Array(response[split...]))
                let head = withoutRequestIDs(try await client.receive(through: "\r\n\r\n"))
                #expect(head == "HTTP/1.1 200 OK\r\nDate: d\r\nTransfer-Encoding: chunked\r\n\r\n")
                try await expectContent("abc", from: client)
            }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    /// Receives a chunked body, cut into any chunks, and expects nothing after it.
    private func expectContent(_ content: String, from peer: RawPeer, sourceLocation: SourceLocation = #_sourceLocation)
        async throws
    {
        let body = try await peer.receive(through: "0\r\n\r\n")
        #expect(Self.decoded(Array(body.utf8)) == Array(content.utf8), "\(body)", sourceLocation: sourceLocation)
        #expect(peer.bytes.isEmpty, "\(peer.text)", sourceLocation: sourceLocation)
    }

    // MARK: Volume and back-pressure

    @Test(arguments: [false, true])
    func `a long body is forwarded unchanged, and its sender waits for a slow upstream (T335, F22)`(chunked: Bool)
        async throws
    {
        try await withGateway { gateway in
            let content = CountedSending.sample()
            let client = try await gateway.connect()
            let framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(content.count)"
            client.send("PUT / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.setReading(false)
            let size = String(content.count, radix: 16)
            let body = chunked ? Array("\(size)\r\n".utf8) + content + Array("\r\n0\r\n\r\n".utf8) : content
            let sending = CountedSending(body, from: client)
            #expect(try await sending.isHeldUp())
            try await server.setReading(true)
            try await sending.finish()
            if chunked {
                try await eventually(within: .seconds(20)) { server.bytes.suffix(7) == Array("\r\n0\r\n\r\n".utf8) }
                #expect(Self.decoded(server.bytes) == content)
            } else {
                #expect(try await server.receive(count: content.count) == content)
            }
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
        }
    }

    @Test func `a long response is relayed unchanged, and its upstream waits for a slow client (T335)`() async throws {
        try await withGateway { gateway in
            let content = CountedSending.sample()
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await client.setReading(false)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(content.count)\r\n\r\n")
            let sending = CountedSending(content, from: server)
            #expect(try await sending.isHeldUp())
            try await client.setReading(true)
            try await sending.finish()
            _ = try await client.receive(through: "\r\n\r\n")
            #expect(try await client.receive(count: content.count) == content)
        }
    }

    /// The decoded content of a complete chunked body.
    private static func decoded(_ body: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        var rest = body[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")),
            let length = Int(String(decoding: rest[..<end], as: UTF8.self), radix: 16), length > 0
        {
            rest = rest[(end + 2)...]
            content += rest.prefix(length)
            rest = rest.dropFirst(length + 2)
        }
        return content
    }

    @Test func `a client that half-closes still gets its answers (F26, T255)`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            client.halfClose()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1\r\n\r\n1")
            #expect(firstLine(try await server.receive(through: "\r\n\r\n")) == "GET /2 HTTP/1.1")
            let content = String(repeating: "x", count: 1_000_000)
            server.send("HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1000000\r\n\r\n\(content)")
            let answers = withoutRequestIDs(try await client.receiveToEnd())
            #expect(
                answers == "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1\r\n\r\n1"
                    + "HTTP/1.1 200 OK\r\nDate: d\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n\(content)")
        }
    }
}
