import NIOCore
import NIOHPACK
import NIOSSL
import ProxySettings
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// HTTP/2 with upstreams, whose frames the tests write themselves.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayUpstreamHTTP2Tests {
    private func request(_ server: HTTP2Peer, _ decoder: inout HPACKDecoder) async throws -> (
        HPACKHeaders, HTTP2Peer.Frame
    ) {
        let frame = try await server.next(.headers)
        var block = ByteBuffer(bytes: frame.payload)
        return (try decoder.decodeHeaders(from: &block), frame)
    }

    private static func decoder() -> HPACKDecoder { HPACKDecoder(allocator: ByteBufferAllocator()) }
    private static let fine = HTTP2Peer.block([(":status", "200"), ("date", "d"), ("x-kind", "good")])
    private static let get = "GET /a?b=c HTTP/1.1\r\nHost: api.example\r\nAccept: */*\r\nX-Two: 1\r\n\r\n"

    @Test func `a request is forwarded as a stream, and its response is relayed`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.http2Server()
            var decoder = Self.decoder()
            let (fields, frame) = try await request(server, &decoder)
            #expect(frame.flags & 1 == 1)
            #expect(fields[":method"] == ["GET"])
            #expect(fields[":path"] == ["/a?b=c"])
            #expect(fields[":scheme"] == ["http"])
            #expect(fields[":authority"] == ["api.example"])
            #expect(fields["host"] == [])
            #expect(fields["x-two"] == ["1"])
            #expect(fields["via"] == ["1.1 bearward"])
            #expect(fields["te"] == ["trailers"])
            server.send(.headers, flags: 4, stream: 1, Self.fine)
            server.send(.data, flags: 1, stream: 1, Array("ok".utf8))
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "HTTP/1.1 200 OK")
            #expect(values("x-kind", in: head) == ["good"])
            #expect(values("connection", in: head) == [])
            #expect(try await client.receive(through: "0\r\n\r\n") == "2\r\nok\r\n0\r\n\r\n")
        }
    }

    @Test func `consecutive requests share a connection, each on a new stream`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            var server: HTTP2Peer?
            var decoder = Self.decoder()
            for number in 0..<5 {
                client.send(Self.get)
                if server == nil { server = try await gateway.http2Server() }
                let server = try #require(server)
                let (_, frame) = try await request(server, &decoder)
                #expect(frame.stream == UInt32(2 * number + 1))
                server.send(
                    .headers, flags: 5, stream: frame.stream, HTTP2Peer.block([(":status", "204"), ("date", "d")]))
                #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
            }
            // Two concurrent requests.
            let others = [try await gateway.connect(), try await gateway.connect()]
            for other in others { other.send(Self.get) }
            let server2 = try #require(server)
            let streams = [
                try await request(server2, &decoder).1.stream, try await request(server2, &decoder).1.stream,
            ]
            for stream in streams.reversed() {
                server2.send(.headers, flags: 5, stream: stream, HTTP2Peer.block([(":status", "204"), ("date", "d")]))
            }
            for other in others { #expect(try await other.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 ")) }
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test func `simultaneous requests share the first connection that opens, and the others close unused`()
        async throws
    {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        try await withHTTP2Upstream(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            try await client.settle()
            // The requests arrive in one read, before any connection can be open.
            let goOn = await gateway.hold()
            let streams = (0..<20).map { UInt32(2 * $0 + 1) }
            let head = HTTP2Peer.block(HTTP2Peer.usual)
            try await client.peer.sendAll(streams.flatMap { HTTP2Peer.frame(.headers, flags: 5, stream: $0, head) })
            goOn()
            var connections: [RawPeer] = []
            for index in streams.indices { connections.append(try await gateway.upstream.connection(index)) }
            try await eventually { connections.contains { !$0.bytes.isEmpty } }
            let only = HTTP2Peer(try #require(connections.first { !$0.bytes.isEmpty }))
            try await only.agree()
            for other in connections where other !== only.peer { #expect(try await other.ends()) }
            for _ in streams {
                let request = try await only.next(.headers)
                only.send(.headers, flags: 5, stream: request.stream, Self.fine)
            }
            var answered: Set<UInt32> = []
            for _ in streams { answered.insert(try await client.next(.headers).stream) }
            #expect(answered == Set(streams))
            #expect(gateway.upstream.connectionCount == streams.count)
        }
    }

    @Test func `simultaneous requests to an upstream with a limit of one stream are all answered`() async throws {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        try await withHTTP2Upstream(settings) { gateway in
            let serving = gateway.upstream.serve { server in
                try await server.agree(streamLimit: 1)
                while true {
                    let request = try await server.next(.headers)
                    // Any further request received with it is over the limit.
                    while server.peer.bytes.count >= 9 {
                        let frame = try await server.next()
                        if frame.type == 1 { server.send(.resetStream, stream: frame.stream, [0, 0, 0, 7]) }
                    }
                    server.send(.headers, flags: 5, stream: request.stream, Self.fine)
                }
            }
            defer { serving.cancel() }
            let client = try await HTTP2Peer.connect(gateway)
            let head = HTTP2Peer.block(HTTP2Peer.usual)
            // The stream limit is unknown in the first round and known in later ones.
            for round in 0..<3 {
                let streams = (0..<20).map { UInt32(2 * (20 * round + $0) + 1) }
                try await client.peer.sendAll(streams.flatMap { HTTP2Peer.frame(.headers, flags: 5, stream: $0, head) })
                for _ in streams {
                    let frame = try await client.next(.headers)
                    var block = ByteBuffer(bytes: frame.payload)
                    var decoder = Self.decoder()
                    #expect(try decoder.decodeHeaders(from: &block)[":status"] == ["200"])
                }
            }
            try await expectOutcomes([.successful: 60], gateway)
        }
    }

    @Test func `bodies are forwarded as DATA frames, in both directions at once`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
            let server = try await gateway.http2Server()
            var decoder = Self.decoder()
            let (fields, frame) = try await request(server, &decoder)
            #expect(frame.flags & 1 == 0)
            #expect(fields["transfer-encoding"] == [])
            #expect(try await server.next(.data).payload == Array("hello".utf8))
            // The answer begins before the request has ended.
            server.send(.headers, flags: 4, stream: 1, Self.fine)
            server.send(.data, stream: 1, Array("first".utf8))
            #expect(try await client.receive(through: "first\r\n").hasSuffix("5\r\nfirst\r\n"))
            client.send("5\r\nworld\r\n0\r\n\r\n")
            #expect(try await server.next(.data).payload == Array("world".utf8))
            server.send(.data, flags: 1, stream: 1, Array("last".utf8))
            #expect(try await client.receive(through: "0\r\n\r\n") == "4\r\nlast\r\n0\r\n\r\n")
        }
    }

    @Test func `trailers are relayed to clients that accept them, without fields forbidden in trailers`()
        async throws
    {
        let trailers = HTTP2Peer.block([
            ("grpc-status", "0"), ("x-auth-subject", "root"), ("x_auth_subject", "root"), ("content-length", "2"),
            ("set-cookie", "a"),
            ("x-sum", "1"),
        ])
        for (te, expected) in [
            ("TE: trailers\r\n", "grpc-status: 0\r\nx-sum: 1\r\n"),
            ("TE: gzip , trailers\r\n", "grpc-status: 0\r\nx-sum: 1\r\n"), ("", ""),
        ] {
            try await withHTTP2Upstream { gateway in
                let client = try await gateway.connect()
                client.send("GET / HTTP/1.1\r\nHost: a\r\n\(te)\r\n")
                let server = try await gateway.http2Server()
                _ = try await server.next(.headers)
                server.send(.headers, flags: 4, stream: 1, Self.fine)
                server.send(.data, stream: 1, Array("ok".utf8))
                server.send(.headers, flags: 5, stream: 1, trailers)
                _ = try await client.receive(through: "\r\n\r\n")
                #expect(try await client.receive(through: "0\r\n\(expected)\r\n") == "2\r\nok\r\n0\r\n\(expected)\r\n")
            }
        }
    }

    @Test func `a gRPC response with a Content-Length keeps its trailers`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("GET / HTTP/1.1\r\nHost: a\r\nTE: trailers\r\n\r\n")
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            let head = HTTP2Peer.block([
                (":status", "200"), ("content-type", "application/grpc+proto"), ("content-length", "2"),
            ])
            server.send(.headers, flags: 4, stream: 1, head)
            server.send(.data, stream: 1, Array("ok".utf8))
            server.send(.headers, flags: 5, stream: 1, HTTP2Peer.block([("grpc-status", "0")]))
            #expect(values("content-length", in: try await client.receive(through: "\r\n\r\n")) == [])
            #expect(try await client.receive(through: "0\r\n\r\n") == "2\r\nok\r\n0\r\ngrpc-status: 0\r\n\r\n")
        }
    }

    @Test func `interim responses are relayed`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            server.send(.headers, flags: 4, stream: 1, HTTP2Peer.block([(":status", "100")]))
            #expect(try await client.receive(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            client.send("ok")
            #expect(try await server.next(.data).payload == Array("ok".utf8))
            server.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(values("content-length", in: try await client.receive(through: "\r\n\r\n")) == ["0"])
        }
    }

    // MARK: What goes wrong

    @Test(
        arguments: [
            [("x", "y")], [(":status", "99")], [(":status", "101")], [(":status", "2000")], [(":status", "+20")],
            [(":status", "200"), (":status", "200")], [(":status", "200"), (":path", "/")],
            [("x", "y"), (":status", "200")],
            [(":status", "200"), ("Upper", "y")], [(":status", "200"), ("connection", "close")],
            [(":status", "200"), ("transfer-encoding", "chunked")], [(":status", "200"), ("x", "a\r\nset-cookie: b")],
            [(":status", "200"), ("content-length", "-1")], [(":status", "200"), ("content-length", "5")],
            [(":status", "103")],
        ] as [[(String, String)]])
    func `a malformed response is 502, and none of it is relayed`(fields: [(String, String)]) async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            server.send(.headers, flags: 5, stream: 1, HTTP2Peer.block(fields))
            let answer = try await client.receive(through: "}")
            #expect(answer.hasPrefix("HTTP/1.1 502 "))
            #expect(!answer.contains("set-cookie"))
        }
    }

    @Test func `a refused stream is retried once, on a new connection`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let first = try await gateway.http2Server()
            _ = try await first.next(.headers)
            first.send(.headers, flags: 5, stream: 1, Self.fine)
            _ = try await client.receive(through: "\r\n\r\n")
            client.send(Self.get)
            _ = try await first.next(.headers)
            first.send(.resetStream, stream: 3, [0, 0, 0, 7])
            let second = try await gateway.http2Server(1)
            _ = try await second.next(.headers)
            second.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            try await expectOutcomes([.successful: 2, .notProcessed: 1], gateway)
        }
    }

    @Test func `an upstream that sent GOAWAY gets no new request, and completes those it has`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let first = try await gateway.http2Server()
            _ = try await first.next(.headers)
            first.send(.goAway, stream: 0, [0, 0, 0, 1, 0, 0, 0, 0])
            let other = try await gateway.connect()
            try await first.settle()
            other.send(Self.get)
            let second = try await gateway.http2Server(1)
            _ = try await second.next(.headers)
            first.send(.headers, flags: 5, stream: 1, Self.fine)
            second.send(.headers, flags: 5, stream: 1, HTTP2Peer.block([(":status", "204")]))
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            #expect(try await other.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
            #expect(try await first.peer.ends())
        }
    }

    @Test func `a response body that breaks off is not relayed as complete`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            server.send(.headers, flags: 4, stream: 1, Self.fine)
            server.send(.data, stream: 1, Array("half".utf8))
            _ = try await client.receive(through: "half\r\n")
            server.send(.resetStream, stream: 1, [0, 0, 0, 2])
            #expect(try await client.ends())
            #expect(client.wasReset)
            #expect(!client.text.contains("0\r\n\r\n"))
        }
    }

    @Test func `a client that disconnects resets its stream, and other streams continue`() async throws {
        try await withHTTP2Upstream { gateway in
            let (leaving, staying) = (try await gateway.connect(), try await gateway.connect())
            leaving.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            staying.send(Self.get)
            _ = try await server.next(.headers)
            try await leaving.reset()
            #expect(try await server.next(.resetStream).stream == 1)
            server.send(.headers, flags: 5, stream: 3, Self.fine)
            #expect(try await staying.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `an upstream that does not speak HTTP 2 is 502`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(count: 24)
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 502 "))
        }
    }

    @Test func `no window is granted to the upstream for a response that the client does not read`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            try await client.setReading(false)
            client.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            server.send(.headers, flags: 4, stream: 1, Self.fine)
            let part = [UInt8](repeating: 7, count: 16_384)
            var (window, sent) = (65_535, 0)
            for _ in 0..<2000 {
                while window >= part.count {
                    server.send(.data, stream: 1, part)
                    window -= part.count
                    sent += part.count
                }
                guard try await holds(within: .milliseconds(500), { server.peer.bytes.count >= 9 }) else { break }
                let update = try await server.next()
                if update.type == 8, update.stream == 1 {
                    window += Int(update.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
                }
            }
            #expect(sent < 16 << 20)
            #expect(window < part.count)
        }
    }

    @Test func `clients that do not read delay no other request on the same upstream connection`() async throws {
        try await withHTTP2Upstream { gateway in
            let slow = [
                try await gateway.connect(), try await gateway.connect(), try await gateway.connect(),
                try await gateway.connect(),
            ]
            var server: HTTP2Peer?
            for (index, client) in slow.enumerated() {
                try await client.setReading(false)
                client.send(Self.get)
                if server == nil { server = try await gateway.http2Server() }
                _ = try await server?.next(.headers, stream: UInt32(2 * index + 1))
            }
            let server2 = try #require(server)
            let part = [UInt8](repeating: 7, count: 16_000)
            // As much as the stream windows and the buffers behind them take.
            for index in slow.indices {
                let stream = UInt32(2 * index + 1)
                server2.send(.headers, flags: 4, stream: stream, Self.fine)
                var window = 65_535
                var isOpen = true
                while isOpen {
                    while window >= part.count {
                        server2.send(.data, stream: stream, part)
                        window -= part.count
                    }
                    isOpen = try await holds(within: .milliseconds(300), { server2.peer.bytes.count >= 9 })
                    while server2.peer.bytes.count >= 9 {
                        let frame = try await server2.next()
                        guard frame.type == 8, frame.stream == stream else { continue }
                        window += Int(frame.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
                    }
                }
            }
            let quick = try await gateway.connect()
            quick.send(Self.get)
            _ = try await server2.next(.headers, stream: 9)
            server2.send(
                .headers, flags: 4, stream: 9, HTTP2Peer.block([(":status", "200"), ("content-length", "64000")]))
            for number in 1...4 { server2.send(.data, flags: number == 4 ? 1 : 0, stream: 9, part) }
            _ = try await quick.receive(through: "\r\n\r\n")
            #expect(try await quick.receive(count: 64_000).count == 64_000)
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    // MARK: What many clients share

    @Test func `many clients that disconnect at once do not disturb the others`() async throws {
        try await withHTTP2Upstream { gateway in
            let staying = try await gateway.connect()
            staying.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            var leaving: [RawPeer] = []
            for _ in 0..<60 {
                let client = try await gateway.connect()
                client.send(Self.get)
                leaving.append(client)
                _ = try await server.next(.headers)
            }
            for client in leaving { try await client.reset() }
            for _ in leaving { _ = try await server.next(.resetStream) }
            // Frames that were on their way to the clients that left.
            for index in leaving.indices { server.send(.headers, flags: 4, stream: UInt32(2 * index + 3), Self.fine) }
            for index in leaving.indices {
                server.send(.data, flags: 1, stream: UInt32(2 * index + 3), Array("late".utf8))
            }
            server.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await staying.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            #expect(gateway.upstream.connectionCount == 1)
        }
    }

    @Test
    func `a connection with too many resets takes no new requests, and its open ones complete`()
        async throws
    {
        try await withHTTP2Upstream { gateway in
            let staying = try await gateway.connect()
            staying.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            for _ in 0..<FixedLimits.sessionResets {
                let leaving = try await gateway.connect()
                leaving.send(Self.get)
                _ = try await server.next(.headers)
                try await leaving.reset()
                _ = try await server.next(.resetStream)
            }
            let next = try await gateway.connect()
            next.send(Self.get)
            let another = try await gateway.http2Server(1)
            _ = try await another.next(.headers)
            for server in [server, another] { server.send(.headers, flags: 5, stream: 1, Self.fine) }
            for client in [staying, next] {
                #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            }
        }
    }

    @Test func `an upstream that half-closes counts as gone at once`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let first = try await gateway.http2Server()
            _ = try await first.next(.headers)
            first.peer.halfClose()
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 502 "))
            let other = try await gateway.connect()
            other.send(Self.get)
            let second = try await gateway.http2Server(1)
            _ = try await second.next(.headers)
            second.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await other.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `the next request does not use a connection that timed out`() async throws {
        var settings = GatewaySettings()
        settings.timeouts.firstByte = .milliseconds(300)
        try await withHTTP2Upstream(settings) { gateway in
            let client = try await gateway.connect()
            client.send(Self.get)
            let first = try await gateway.http2Server()
            _ = try await first.next(.headers)
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 504 "))
            #expect(try await first.next(.resetStream).stream == 1)
            let other = try await gateway.connect()
            other.send(Self.get)
            let second = try await gateway.http2Server(1)
            _ = try await second.next(.headers)
            second.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await other.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    @Test func `requests over the upstream's stream limit get another connection`() async throws {
        try await withHTTP2Upstream { gateway in
            let clients = [try await gateway.connect(), try await gateway.connect()]
            clients[0].send(Self.get)
            let first = HTTP2Peer(try await gateway.upstream.connection())
            _ = try await first.peer.receive(count: HTTP2Peer.preface.count)
            first.send(.settings, stream: 0, [0, 3, 0, 0, 0, 1])
            first.send(.settings, flags: 1, stream: 0)
            _ = try await first.next(.headers)
            try await first.settle()
            clients[1].send(Self.get)
            let second = try await gateway.http2Server(1)
            _ = try await second.next(.headers)
            first.send(.headers, flags: 5, stream: 1, Self.fine)
            second.send(.headers, flags: 5, stream: 1, Self.fine)
            for client in clients { #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 ")) }
        }
    }

    // MARK: Limits that fall

    /// Request and settings are read in one turn of the event loop, the request first. The session writes at the end of
    /// the turn.
    @Test(arguments: [0, 1]) func `a request refused after the stream limit fell is retried on another connection`(
        limit: Int
    )
        async throws
    {
        var settings = GatewaySettings()
        settings.timeouts.firstByte = .seconds(4)
        try await withHTTP2Upstream(settings) { gateway in
            let (first, second) = (try await gateway.connect(), try await gateway.connect())
            first.send(Self.get)
            let server = try await gateway.http2Server()
            _ = try await server.next(.headers)
            try await server.settle()
            try await gateway.settle()
            let goOn = await gateway.hold()
            try await second.sendAll(Array("POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello".utf8))
            try await server.peer.sendAll(HTTP2Peer.frame(.settings, stream: 0, [0, 3, 0, 0, 0, UInt8(limit)]))
            goOn()
            let other = try await gateway.http2Server(1)
            _ = try await other.next(.headers)
            #expect(try await other.next(.data).payload == Array("hello".utf8))
            other.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await second.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            // The request is not sent when the limit rises again.
            server.send(streamLimit: 100)
            server.send(.ping, stream: 0, [UInt8](repeating: 9, count: 8))
            var types: [UInt8] = []
            while types.last != HTTP2Peer.FrameType.ping.rawValue { types.append(try await server.next().type) }
            #expect(Set(types) == [4, 6])
            server.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await first.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
            if limit == 0 { #expect(try await server.peer.ends()) }
            try await expectOutcomes([.successful: 2, .notProcessed: 1], gateway)
        }
    }

    @Test func `an upstream with a stream limit of 0 gets a connection now and then, and no request waits for it`()
        async throws
    {
        try await withHTTP2Upstream { gateway in
            let refusing = gateway.upstream.takeNothing()
            defer { refusing.cancel() }
            let client = try await gateway.connect()
            let began = ContinuousClock.now
            for _ in 0..<200 {
                client.send(Self.get)
                let head = try await client.receive(through: "\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 503 ") && values("retry-after", in: head) == ["1"])
                _ = try await client.receive(through: "}")
            }
            let seconds = Int((ContinuousClock.now - began).components.seconds)
            #expect(gateway.upstream.connectionCount <= FixedLimits.refusingSessions + seconds + 1)
            let lines = try await gateway.logLines(200)
            #expect(
                lines.allSatisfy {
                    $0.contains("\"reason\":\"upstream_refused\"") && $0.contains("SETTINGS_MAX_CONCURRENT_STREAMS")
                })
        }
    }

    @Test func `an upstream that takes requests again is used after the next trial connection`() async throws {
        try await withHTTP2Upstream { gateway in
            let client = try await gateway.connect()
            for index in 0..<FixedLimits.refusingSessions + 1 {
                client.send(Self.get)
                if index == FixedLimits.refusingSessions { break }
                let server = HTTP2Peer(try await gateway.upstream.connection(index))
                try await server.agree(streamLimit: 0)
                _ = try await server.next(.headers)
                server.send(.resetStream, stream: 1, [0, 0, 0, 7])
                // Each request has two attempts.
                if index % 2 == 1 { _ = try await client.receive(through: "}") }
            }
            let refused = try await client.receive(through: "}")
            #expect(refused.hasPrefix("HTTP/1.1 503 "))
            let serving = gateway.upstream.serve { server in
                try await server.agree()
                while true {
                    server.send(.headers, flags: 5, stream: try await server.next(.headers).stream, Self.fine)
                }
            }
            defer { serving.cancel() }
            var status = ""
            for _ in 0..<200 where status != "HTTP/1.1 200 OK" {
                client.send(Self.get)
                let head = try await client.receive(through: "\r\n\r\n")
                status = firstLine(head)
                if status != "HTTP/1.1 200 OK" { _ = try await client.receive(through: "}") }
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(status == "HTTP/1.1 200 OK")
            #expect(gateway.upstream.connectionCount == FixedLimits.refusingSessions + 1)
        }
    }

    @Test func `a target with a stream limit of 0 is ejected, and no request fails`() async throws {
        let other = try await RawUpstream.start()
        let echo = other.echo()
        defer { echo.cancel() }
        var settings = GatewaySettings(moreTargets: [other.target])
        settings.fleet = FleetSettings(ejection: FleetSettings.Ejection(duration: .seconds(3600)))
        try await withHTTP2Upstream(settings) { gateway in
            let refusing = gateway.upstream.takeNothing()
            defer { refusing.cancel() }
            let client = try await gateway.connect()
            for number in 0..<60 {
                client.send("POST / HTTP/1.1\r\nHost: a\r\nX-Number: \(number)\r\nContent-Length: 0\r\n\r\n")
                let head = try await client.receive(through: "\r\n\r\n")
                #expect(head.hasPrefix("HTTP/1.1 200 "), "\(number)")
                _ = try await client.receive(count: Int(values("content-length", in: head).first ?? "") ?? 0)
            }
            try await expectOutcomes([.successful: 60, .notProcessed: 5], gateway)
            let targets = gateway.gateway.upstreams.first { $0.path == "/" && $0.resource == "open" }?.targets ?? []
            #expect(targets.map(\.isIn) == [false, true])
            #expect(targets.first?.cause == "takes no requests: its SETTINGS_MAX_CONCURRENT_STREAMS is 0")
            #expect((FixedLimits.refusingSessions...5).contains(gateway.upstream.connectionCount))
        }
        try await other.stop()
    }

    @Test(arguments: [[1, 2, 3, 100], [0, 1, 2, 100]])
    func `an upstream may change its stream limit at any time: no request hangs, and none is sent twice`(
        limits: [Int]
    ) async throws {
        try await withHTTP2Upstream { gateway in
            let paths = RawUpstream.Paths()
            let answering = gateway.upstream.answer(changing: limits, paths)
            defer { answering.cancel() }
            let (clients, requests) = (8, 100)
            let refused = try await withThrowingTaskGroup(of: [String].self) { group in
                for number in 0..<clients {
                    group.addTask {
                        var client = try await gateway.connect()
                        var refused: [String] = []
                        for request in 0..<requests {
                            let path = "/\(number)-\(request)"
                            client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok")
                            let head = try await client.receive(through: "\r\n\r\n")
                            if head.hasPrefix("HTTP/1.1 200 ") { continue }
                            // Refused twice without being processed, or the limit was 0 on too many consecutive
                            // connections.
                            #expect(
                                head.hasPrefix("HTTP/1.1 503 ") && values("retry-after", in: head) == ["1"], "\(head)")
                            refused.append(path)
                            client = try await gateway.connect()
                        }
                        return refused
                    }
                }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            let seen = paths.all
            #expect(seen.count == Set(seen).count)
            #expect(Set(seen).isDisjoint(with: refused))
            #expect(seen.count + refused.count == clients * requests)
            #expect(refused.count < clients * requests / 10, "\(refused.count)")
        }
    }

    @Test func `a client that disconnects before the upstream connection is open leaves no stream behind`() async throws
    {
        try await withHTTP2Upstream { gateway in
            let leaving = try await gateway.connect()
            leaving.send(Self.get)
            try await leaving.reset()
            let server = try await gateway.http2Server()
            try await eventually { gateway.gateway.requestsInFlight == 0 }
            server.send(.goAway, stream: 0, [0x7F, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
            #expect(try await server.peer.ends())
            let client = try await gateway.connect()
            client.send(Self.get)
            let fresh = try await gateway.http2Server(1)
            _ = try await fresh.next(.headers)
            fresh.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    // MARK: Over TLS

    @Test func `no DATA frame follows the reset of its stream`() async throws {
        let upstream = try await Self.secureUpstream(offering: ["h2"])
        let (settings, target) = try Self.secured(port: upstream.target.port)
        try await withGateway(settings, targets: [target], upstream: upstream) { gateway in
            let client = try await gateway.connect()
            // The client half-closes before the upstream completes its handshake, so the gateway sees the half-close
            // while it sends the body.
            client.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 40000\r\n\r\n" + String(repeating: "x", count: 20_000))
            client.halfClose()
            let server = try await gateway.http2Server()
            #expect(try await client.receive(through: "}").hasPrefix("HTTP/1.1 400 "))
            let other = try await gateway.connect()
            other.send(Self.get)
            var types: [UInt8] = []
            while true {
                let frame = try await server.next()
                if frame.stream == 1 { types.append(frame.type) } else if frame.stream == 3 { break }
            }
            #expect(
                types.filter { $0 == 3 }.count <= 1 && types.firstIndex(of: 3).map { $0 == types.count - 1 } ?? true,
                "\(types)")
            server.send(.headers, flags: 5, stream: 3, Self.fine)
            #expect(try await other.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }

    private static func secureUpstream(offering protocols: [String]) async throws -> RawUpstream {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(SampleCertificates.localhost.utf8))
        let key = try NIOSSLPrivateKey(bytes: Array(SampleCertificates.privateKey.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.applicationProtocols = protocols
        return try await RawUpstream.start(tls: try NIOSSLContext(configuration: configuration))
    }

    /// Settings that trust the test authority, and the TLS upstream at this port as the target.
    private static func secured(port: Int) throws -> (GatewaySettings, UpstreamTarget) {
        var settings = GatewaySettings()
        let security = TargetSecurity(caFile: "ca.pem")
        let anchors = TrustAnchors(pem: Array(SampleCertificates.trustAnchor.utf8))
        settings.upstreamTLS = [
            security: UpstreamTLS(try UpstreamSecurity(anchors: anchors, protocols: ["h2", "http/1.1"]))
        ]
        return (settings, UpstreamTarget(host: "localhost", port: port, security: security, protocols: .both))
    }

    @Test(arguments: [["h2", "http/1.1"], ["http/1.1"], []])
    func `over TLS HTTP 2 is used if the upstream negotiates it`(
        offered: [String]
    )
        async throws
    {
        let upstream = try await Self.secureUpstream(offering: offered)
        let (settings, target) = try Self.secured(port: upstream.target.port)
        try await withGateway(settings, targets: [target], upstream: upstream) { gateway in
            let client = try await gateway.connect()
            for _ in 1...2 {
                client.send(Self.get)
                if offered.first == "h2" {
                    break
                }
                let server = try await gateway.upstream.connection()
                #expect(firstLine(try await server.receive(through: "\r\n\r\n")) == "GET /a?b=c HTTP/1.1")
                server.send("HTTP/1.1 204 No Content\r\n\r\n")
                #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 204 "))
            }
            guard offered.first == "h2" else { return }
            let server = try await gateway.http2Server()
            var decoder = Self.decoder()
            let (fields, _) = try await request(server, &decoder)
            #expect(fields[":scheme"] == ["https"])
            server.send(.headers, flags: 5, stream: 1, Self.fine)
            #expect(try await client.receive(through: "\r\n\r\n").hasPrefix("HTTP/1.1 200 "))
        }
    }
}
