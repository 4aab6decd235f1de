import HTTPMessages
import KeySets
import NIOCore
import NIOHPACK
import NIOSSL
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// HTTP/2 with clients over real sockets: mapping of requests to HTTP/1.1 and back, and limits of a connection.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayHTTP2Tests {
    private static func settings(_ protocols: ListenerProtocols = .http2) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(protocols)
        return settings
    }

    private static let answer = "HTTP/1.1 200 OK\r\nDate: d\r\nX-Kind: Good\r\nContent-Length: 2\r\n\r\nok"

    // MARK: Requests

    @Test func `a request is forwarded as HTTP 1.1 and its response is relayed`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(
                HTTP2Peer.usual + [("accept", "*/*"), ("cookie", "a=1"), ("cookie", "b=2"), ("te", "trailers")])
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(firstLine(head) == "GET /a HTTP/1.1")
            #expect(values("host", in: head) == ["api.example"])
            #expect(values("accept", in: head) == ["*/*"])
            #expect(values("cookie", in: head) == ["a=1; b=2"], "T443")
            #expect(values("via", in: head) == ["2.0 bearward"])
            #expect(values("x-forwarded-proto", in: head) == ["http"])
            server.send(Self.answer)
            let answer = try await client.answer()
            #expect(answer.status == "200")
            #expect(answer.heads.last?["x-kind"] == ["Good"])
            #expect(answer.heads.last?["connection"] == [])
            #expect(answer.text == "ok")
            #expect(try await gateway.logLines(1).first?.contains("\"protocol\":\"h2\"") == true)
        }
    }

    @Test func `many concurrent requests each get their own answer, in whatever order answers come`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            let streams = (0..<20).map { UInt32($0 * 2 + 1) }
            for stream in streams {
                client.request(
                    [(":method", "GET"), (":scheme", "http"), (":path", "/\(stream)"), (":authority", "a")],
                    stream: stream)
            }
            var servers: [(RawPeer, String)] = []
            for index in streams.indices {
                let server = try await gateway.upstream.connection(index)
                servers.append((server, firstLine(try await server.receive(through: "\r\n\r\n"))))
            }
            for (server, line) in servers.reversed() {
                server.send("HTTP/1.1 200 OK\r\nContent-Length: \(line.utf8.count)\r\n\r\n\(line)")
            }
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            var contents: [UInt32: String] = [:]
            while contents.count < streams.count {
                let frame = try await client.next()
                if frame.type == 1 {
                    var block = ByteBuffer(bytes: frame.payload)
                    #expect(try decoder.decodeHeaders(from: &block)[":status"] == ["200"])
                }
                if frame.type == 0 { contents[frame.stream] = String(decoding: frame.payload, as: UTF8.self) }
            }
            for stream in streams { #expect(contents[stream] == "GET /\(stream) HTTP/1.1") }
        }
    }

    @Test func `a body without a length is forwarded in chunks, and a body with a length keeps it`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            let post = [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")]
            client.request(post, ends: false)
            client.send(.data, stream: 1, Array("hello ".utf8))
            let server = try await gateway.upstream.connection()
            #expect(values("transfer-encoding", in: try await server.receive(through: "\r\n\r\n")) == ["chunked"])
            #expect(try await server.receive(through: "hello \r\n") == "6\r\nhello \r\n")
            client.send(.data, flags: 1, stream: 1, Array("world".utf8))
            #expect(try await server.receive(through: "0\r\n\r\n") == "5\r\nworld\r\n0\r\n\r\n")
            server.send("HTTP/1.1 204 No Content\r\nDate: d\r\n\r\n")
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            #expect(try await client.answer(&decoder).status == "204")

            client.request(post + [("content-length", "5")], stream: 3, ends: false)
            client.send(.data, flags: 1, stream: 3, Array("fixed".utf8))
            let head = try await server.receive(through: "fixed")
            #expect(values("content-length", in: head) == ["5"])
            server.send("HTTP/1.1 204 No Content\r\nDate: d\r\n\r\n")
            #expect(try await client.answer(stream: 3, &decoder).status == "204")
        }
    }

    @Test(arguments: [
        ("GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n", "200", "abc"),
        ("HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n", "200", ""),
        ("GET", "HTTP/1.1 304 Not Modified\r\n\r\n", "304", ""),
        (
            "GET",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: x\r\nConnection: Keep-Alive, X-Hop\r\nX-Hop: 1\r\n\r\n",
            "200", ""
        ),
    ])
    func `upstream answers are reframed for HTTP 2`(method: String, response: String, status: String, content: String)
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request([(":method", method), (":scheme", "http"), (":path", "/"), (":authority", "a")])
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(response)
            let answer = try await client.answer()
            #expect(answer.status == status)
            #expect(answer.text == content)
            for name in ["connection", "keep-alive", "transfer-encoding", "x-hop"] {
                #expect(answer.heads.last?[name] == [])
            }
        }
    }

    @Test func `interim responses are relayed, and the body follows a relayed 100 Continue`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(
                [
                    (":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
                    ("expect", "100-continue"),
                ], ends: false)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 100 Continue\r\n\r\n")
            let interim = try await client.next(.headers)
            #expect(interim.flags & 1 == 0)
            client.send(.data, flags: 1, stream: 1, Array("x".utf8))
            _ = try await server.receive(through: "0\r\n\r\n")
            server.send("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + Self.answer)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            var first = ByteBuffer(bytes: interim.payload)
            #expect(try decoder.decodeHeaders(from: &first)[":status"] == ["100"])
            let answer = try await client.answer(&decoder)
            #expect(answer.heads.compactMap { $0[":status"].first } == ["103", "200"])
        }
    }

    private static let refused = [(":method", "POST"), (":scheme", "http"), (":path", "/private"), (":authority", "a")]

    /// Types of the frames received before the acknowledgement of a PING sent now.
    private static func typesNow(_ client: HTTP2Peer) async throws -> [HTTP2Peer.FrameType?] {
        client.send(.ping, stream: 0, [UInt8](repeating: 9, count: 8))
        var types: [HTTP2Peer.FrameType?] = []
        while true {
            let frame = try await client.next()
            guard frame.type != HTTP2Peer.FrameType.ping.rawValue else { return types }
            types.append(HTTP2Peer.FrameType(rawValue: frame.type))
        }
    }

    @Test func `a refused upload that stalls is reset after two seconds`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            let clock = ContinuousClock()
            let start = clock.now
            client.request(Self.refused, ends: false)
            #expect(try await client.answer().status == "401")
            #expect(try await Self.typesNow(client) == [], "T530")
            #expect(try await client.next(.resetStream).payload == [0, 0, 0, 0])
            #expect(clock.now - start >= .seconds(2))
        }
    }

    @Test func `a refused upload is discarded up to 1 MiB, and then reset`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.refused, ends: false)
            #expect(try await client.answer().status == "401")
            let part = [UInt8](repeating: 7, count: 16_384)
            // The initial windows that the gateway grants.
            var (stream, connection) = (65_535, FixedLimits.connectionWindow)
            var sent = 0
            while true {
                while min(stream, connection) >= part.count {
                    client.send(.data, stream: 1, part)
                    (stream, connection, sent) = (stream - part.count, connection - part.count, sent + part.count)
                }
                let frame = try await client.next()
                if frame.type == HTTP2Peer.FrameType.resetStream.rawValue {
                    #expect(frame.payload == [0, 0, 0, 0])
                    break
                }
                guard frame.type == HTTP2Peer.FrameType.windowUpdate.rawValue else { continue }
                let update = Int(frame.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
                if frame.stream == 1 { stream += update } else { connection += update }
            }
            #expect(sent > FixedLimits.unwantedUpload, "T530")
            #expect(sent <= FixedLimits.unwantedUpload + FixedLimits.connectionWindow, "T530")
            client.request(Self.refused, stream: 3)
            _ = try await client.next(.headers, stream: 3)
        }
    }

    @Test func `a refused upload that ends in time is not reset`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.refused, ends: false)
            #expect(try await client.answer().status == "401")
            for index in 0..<3 {
                client.send(.data, flags: index == 2 ? 1 : 0, stream: 1, [UInt8](repeating: 7, count: 16_384))
            }
            let types = try await Self.typesNow(client)
            #expect(!types.contains(.resetStream), "\(types)")
            client.request(Self.refused, stream: 3)
            _ = try await client.next(.headers, stream: 3)
        }
    }

    @Test func `the rest of an upload is discarded after the upstream refused it early`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(
                [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")], ends: false)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
            #expect(try await client.answer().status == "413")
            client.send(.data, stream: 1, [UInt8](repeating: 7, count: 16_384))
            let types = try await Self.typesNow(client)
            #expect(!types.contains(.resetStream), "\(types)")
            client.send(.data, flags: 1, stream: 1, [7])
            let rest = try await Self.typesNow(client)
            #expect(!rest.contains(.resetStream), "\(rest)")
        }
    }

    @Test func `the gateway's own answers are sent as HTTP 2 frames`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(Self.refused)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let answer = try await client.answer(&decoder)
            #expect(answer.status == "401")
            #expect(answer.heads.last?["www-authenticate"] == ["Bearer realm=\"closed\""])
            #expect(answer.heads.last?["content-type"] == ["application/problem+json"])
            #expect(answer.text.contains("\"status\":401"))
            client.request([(":method", "CONNECT"), (":authority", "a:443")], stream: 3)
            #expect(try await client.answer(stream: 3, &decoder).status == "405")
            #expect(gateway.upstream.connectionCount == 0)
            let lines = try await gateway.logLines(2)
            #expect(lines.first?.contains("\"reason\":\"missing_credentials\"") == true)
        }
    }

    @Test func `an upstream answer that breaks off resets its stream and no other`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
            _ = try await client.next(.data)
            server.close()
            #expect(try await client.next(.resetStream).payload == [0, 0, 0, 2])
            client.request(stream: 3)
            let other = try await gateway.upstream.connection(1)
            _ = try await other.receive(through: "\r\n\r\n")
            other.send(Self.answer)
            _ = try await client.next(.headers, stream: 3)
        }
    }

    @Test func `a client that resets its stream ends the request upstream`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            client.send(.resetStream, stream: 1, [0, 0, 0, 8])
            #expect(try await server.ends())
            try await eventually { gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `a response that the client does not read is not read from the upstream`() async throws {
        try await withGateway(Self.settings()) { gateway in
            // An initial window of 0 (RFC 9113 §6.5.2).
            let client = try await HTTP2Peer.connect(gateway, settings: [0, 4, 0, 0, 0, 0])
            client.request()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let size = CountedSending.volume
            server.send("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n")
            let sent = CountedSending([UInt8](repeating: 7, count: size), from: server)
            _ = try await client.next(.headers)
            #expect(try await sent.isHeldUp())
            #expect(gateway.gateway.requestsInFlight == 1)
            #expect(client.peer.count < 4096)
            // Opens the windows completely.
            client.send(.windowUpdate, stream: 1, [0x7F, 0, 0, 0])
            client.send(.windowUpdate, stream: 0, [0x7F, 0, 0, 0])
            var received = 0
            while received < size { received += try await client.next(.data).payload.count }
            #expect(received == size)
            try await sent.finish()
        }
    }

    @Test func `a body that the upstream does not read is not read from the client`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(
                [(":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a")], ends: false)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            try await server.setReading(false)
            let part = [UInt8](repeating: 7, count: 16_384)
            var window = 65_535
            var sent = 0
            // Sends as much as the gateway's windows allow.
            for _ in 0..<2000 {
                while window >= part.count {
                    client.send(.data, stream: 1, part)
                    window -= part.count
                    sent += part.count
                }
                guard try await holds(within: .milliseconds(500), { client.peer.bytes.count >= 9 }) else { break }
                let update = try await client.next()
                if update.type == 8, update.stream == 1 {
                    window += Int(update.payload.reduce(UInt32(0)) { $0 << 8 | UInt32($1) })
                }
            }
            // The kernel's buffers take some megabytes; the gateway's buffers do not grow.
            #expect(sent < 16 << 20)
            #expect(window < part.count)
        }
    }

    @Test func `a client that half-closes its connection counts as gone, and its requests are cancelled`() async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request()
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            client.peer.halfClose()
            #expect(try await server.ends())
            try await eventually { gateway.gateway.openConnections == 0 && gateway.gateway.requestsInFlight == 0 }
        }
    }

    @Test func `bodies of many refused requests end their streams, and not the connection`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            for index in 0..<60 { client.request(Self.refused, stream: UInt32(2 * index + 1), ends: false) }
            for _ in 0..<60 { _ = try await client.next(.resetStream) }
            for index in 0..<60 { client.send(.data, flags: 1, stream: UInt32(2 * index + 1), Array("late".utf8)) }
            client.request(
                [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")], stream: 201)
            _ = try await client.next(.headers, stream: 201)
        }
    }

    @Test func `a public gRPC call has the same idle timeout for its body as other requests`() async throws {
        var settings = Self.settings(.both)
        settings.timeouts.bodyIdle = .milliseconds(300)
        try await withGateway(settings) { gateway in
            let older = try await gateway.connect()
            older.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/grpc\r\nContent-Length: 10\r\n\r\nx")
            #expect(try await older.receiveToEnd().hasPrefix("HTTP/1.1 408 "))
            let newer = try await HTTP2Peer.connect(gateway)
            let call = [
                (":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
                ("content-type", "application/grpc"),
                ("te", "trailers"),
            ]
            newer.request(call, ends: false)
            let answer = try await newer.answer()
            #expect(answer.heads.last?["grpc-status"] == ["13"], "\(answer)")
        }
    }

    @Test func `a gRPC call waits for keys no longer than its grpc-timeout`() async throws {
        var settings = Self.settings()
        settings.answerWait = { _ in
            try? await Task.sleep(for: .seconds(60))
            return .keys(.confirmedUnknown)
        }
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request([
                (":method", "POST"), (":scheme", "http"), (":path", "/private"), (":authority", "a"),
                ("content-type", "application/grpc"),
                ("te", "trailers"), ("grpc-timeout", "300m"), ("authorization", "Bearer \(GatewayRefusalTests.token)"),
            ])
            try await eventually { gateway.gateway.requestsWaitingForKeys == 1 }
            #expect(try await client.answer().heads.last?["grpc-status"] == ["4"])
            try await eventually { gateway.gateway.requestsWaitingForKeys == 0 }
        }
    }

    // MARK: Which protocol

    @Test func `a listener for both protocols tells them apart by the first bytes`() async throws {
        try await withGateway(Self.settings(.both)) { gateway in
            let newer = try await HTTP2Peer.connect(gateway)
            newer.request([(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")])
            #expect(try await newer.answer().status == "401")
            let older = try await gateway.connect()
            for part in ["P", "O", "ST /private HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n"] { older.send(part) }
            #expect(try await older.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
        }
    }

    @Test func `over TLS the protocol is negotiated with ALPN`() async throws {
        let identity = try TLSIdentity(
            certificate: Array(SampleCertificates.localhost.utf8), key: Array(SampleCertificates.privateKey.utf8))
        var settings = GatewaySettings()
        settings.service = .secure(
            TLSTermination(try ListenerSecurity(identities: [identity], protocols: ["h2", "http/1.1"])))
        try await withGateway(settings) { gateway in
            let newer = try await HTTP2Peer.connect(
                gateway, ClientTLS { $0.applicationProtocols = ["h2", "http/1.1"] })
            newer.request([(":method", "GET"), (":scheme", "https"), (":path", "/a"), (":authority", "a")])
            let server = try await gateway.upstream.connection()
            let head = try await server.receive(through: "\r\n\r\n")
            #expect(values("x-forwarded-proto", in: head) == ["https"])
            server.send(Self.answer)
            #expect(try await newer.answer().text == "ok")
            #expect(try await newer.peer.handshake().negotiated == "h2")
            for offered in [[], ["http/1.1"]] {
                let older = try await gateway.connect(ClientTLS { $0.applicationProtocols = offered })
                older.send("GET /private HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await older.receive(through: "}").hasPrefix("HTTP/1.1 401 "))
            }
        }
    }

    // MARK: T440: what is no request

    @Test(
        arguments: [
            [(":method", "GET"), (":scheme", "http"), (":authority", "a")],
            [(":method", "GET"), (":path", "/"), (":authority", "a")],
            [(":scheme", "http"), (":path", "/"), (":authority", "a")],
            [(":method", "GET"), (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":path", "/b"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":authority", "b")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":status", "200")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), (":protocol", "websocket")],
            [(":method", "GET"), (":scheme", "http"), (":authority", "a"), ("accept", "x"), (":path", "/")],
            [(":method", "G ET"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
            [(":method", ""), (":scheme", "http"), (":path", "/"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "ftp"), (":path", "/"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", ""), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "a"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "*"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "http://b/"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/ HTTP/1.1\r\nX: y"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/a b"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/#x"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("host", "b")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a\r\nx: y")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("Accept", "x")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("x y", "x")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("x", "a\r\nb: c")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("x", "a\0b")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("connection", "close")],
            [
                (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
                ("transfer-encoding", "chunked"),
            ],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("upgrade", "h2c")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("keep-alive", "1")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("proxy-connection", "x")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("te", "gzip")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("content-length", "5")],
            [
                (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("content-length", "0"),
                ("content-length", "0"),
            ],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("content-length", "+0")],
            [
                (":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("host", "a"),
                ("host", "a"),
            ],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"), ("x", " padded")],
            [(":method", "CONNECT"), (":scheme", "http"), (":path", "/"), (":authority", "a")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/")],
            [(":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "u@a")],
        ] as [[(String, String)]])
    func `T440 a malformed request reaches no upstream, and its connection stays open`(fields: [(String, String)])
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(fields)
            let answer = try await client.answer()
            #expect(answer.reset == 1 || answer.status == "400", "\(answer)")
            #expect(gateway.upstream.connectionCount == 0)
            client.request(
                [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")], stream: 3)
            #expect(try await client.next(.headers, stream: 3).stream == 3)
        }
    }

    @Test
    func `T441 a body unlike its Content-Length resets its stream, and the upstream sees no complete request`()
        async throws
    {
        for body in ["four", "longer"] {
            try await withGateway(Self.settings()) { gateway in
                let client = try await HTTP2Peer.connect(gateway)
                client.request(
                    [
                        (":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
                        ("content-length", "5"),
                    ], ends: false)
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: "\r\n\r\n")
                client.send(.data, flags: 1, stream: 1, Array(body.utf8))
                #expect(try await client.answer().reset == 1)
                #expect(try await server.ends())
                #expect(server.bytes.count < 5)
            }
        }
    }

    @Test func `T443 two authorization fields over HTTP 2 are refused, not merged`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request([
                (":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a"),
                ("authorization", "Bearer a"),
                ("authorization", "Bearer b"),
            ])
            let answer = try await client.answer()
            #expect(answer.status == "400")
            #expect(answer.heads.last?["www-authenticate"].first?.contains("invalid_request") == true)
        }
    }

    @Test func `a head with too many fields or a too long field is answered on its stream`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request(HTTP2Peer.usual + (0..<101).map { ("x-\($0)", "y") })
            #expect(try await client.answer().status == "431")
            client.request(HTTP2Peer.usual + [("x", String(repeating: "y", count: 9000))], stream: 3)
            #expect(try await client.next(.headers, stream: 3).stream == 3)
        }
    }
}

/// Heads that are too large, each on its own stream, and consecutive requests that share reused storage.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct HTTP2HeadLimitTests {
    private static var settings: GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        return settings
    }

    private static let asked = [(":method", "GET"), (":scheme", "http"), (":path", "/private"), (":authority", "a")]

    /// A number of fields with values of about the given length.
    private static func fields(_ count: Int, _ length: Int) -> [(String, String)] {
        (0..<count).map { ("x-\($0)", String(repeating: "y", count: length)) }
    }

    /// Sends a head in frames of 16,000 bytes.
    private func send(_ fields: [(String, String)], on stream: UInt32, _ client: HTTP2Peer) {
        var block = HTTP2Peer.block(fields)[...]
        var type = HTTP2Peer.FrameType.headers
        repeat {
            let piece = Array(block.prefix(16_000))
            block = block.dropFirst(16_000)
            client.send(type, flags: (type == .headers ? 1 : 0) | (block.isEmpty ? 4 : 0), stream: stream, piece)
            type = .continuation
        } while !block.isEmpty
    }

    @Test func `a head over the limit is answered on its stream, and a head far over it is reset`() async throws {
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            send(Self.asked + Self.fields(6, 7000), on: 1, client)
            let tooLarge = try await client.answer(&decoder)
            #expect(tooLarge.status == "431")
            #expect(!tooLarge.content.isEmpty)
            send([(":method", "HEAD")] + Self.asked.dropFirst() + Self.fields(6, 7000), on: 3, client)
            let forHEAD = try await client.answer(stream: 3, &decoder)
            #expect(forHEAD.status == "431" && forHEAD.content.isEmpty)
            send(Self.asked + Self.fields(250, 4), on: 5, client)
            #expect(try await client.answer(stream: 5, &decoder).status == "431")
            send(Self.asked + Self.fields(20, 7000), on: 7, client)
            #expect(try await client.next(.resetStream, stream: 7).payload == [0, 0, 0, 11])
            send(Self.asked, on: 9, client)
            #expect(try await client.answer(stream: 9, &decoder).status == "401")
            #expect(gateway.upstream.connectionCount == 0)
            let refused = try await gateway.logLines(5).filter { $0.contains("\"status\":431") }
            #expect(refused.count == 3)
            let detail =
                #""detail":"the head is longer than `limits.head`, has more fields than `limits.fields`, or has more than 256 parts of `cookie`""#
            #expect(refused.allSatisfy { $0.contains(detail) }, "\(refused)")
        }
    }

    @Test(arguments: [fields(20, 7000), fields(401, 1), [(String, String)](repeating: ("cookie", ""), count: 1025)])
    func `the log reports a head far over its limits as too large, and as nothing else`(fields: [(String, String)])
        async throws
    {
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            send(Self.asked + fields, on: 1, client)
            #expect(try await client.next(.resetStream, stream: 1).payload == [0, 0, 0, 11])
            let line = try await gateway.logLines(1)[0]
            #expect(line.contains(#""status":null"#) && line.contains(#""reason":"head_too_large""#))
            let detail =
                "the head is more than four times over `limits.head`, `limits.fields` or 256 parts of `cookie`; the stream was reset"
            #expect(line.contains(#""detail":"\#(detail)""#), "\(line)")
        }
    }

    @Test func `a head at or one past its limits gets the same status over HTTP/1.1 and HTTP/2`() async throws {
        let line = "GET /private HTTP/1.1\r\nHost: a\r\n"
        let limits = HeadLimits()
        let rest = limits.head - line.utf8.count - 4 * (7000 + "x-0: \r\n".utf8.count) - "y: \r\n\r\n".utf8.count
        // `Host` is one of the fields.
        let cases = [
            (Self.fields(limits.fields - 1, 1), "401"), (Self.fields(limits.fields, 1), "431"),
            (Self.fields(4, 7000) + [("y", String(repeating: "z", count: rest))], "401"),
            (Self.fields(4, 7000) + [("y", String(repeating: "z", count: rest + 1))], "431"),
        ]
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            for (index, (fields, status)) in cases.enumerated() {
                send(Self.asked + fields, on: UInt32(2 * index + 1), client)
                #expect(try await client.answer(stream: UInt32(2 * index + 1), &decoder).status == status, "\(index)")
            }
        }
        try await withGateway { gateway in
            for (index, (fields, status)) in cases.enumerated() {
                let client = try await gateway.connect()
                client.send(line + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n")
                #expect(
                    firstLine(try await client.receive(through: "\r\n\r\n")).hasPrefix("HTTP/1.1 \(status) "),
                    "\(index)")
            }
        }
    }

    @Test func `heads with control bytes or invalid field names are never forwarded`() async throws {
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            let wrong: [[(String, String)]] = [
                HTTP2Peer.usual + [("authorization", "Bearer a\u{1}")], HTTP2Peer.usual + [("x y", "z")],
                HTTP2Peer.usual + [("X-Upper", "z")],
            ]
            for (index, fields) in wrong.enumerated() {
                let stream = UInt32(index * 2 + 1)
                client.request(fields, stream: stream)
                #expect(
                    try await client.next(.resetStream, stream: stream).payload == [0, 0, 0, 1],
                    "\(fields.last?.0 ?? "")")
            }
            #expect(gateway.upstream.connectionCount == 0)
            #expect(gateway.gateway.state.limits.counts[.malformedStreams] == 3)
            // One such request per second is logged for a connection.
            let lines = try await gateway.logLines(1)
            #expect(lines[0].contains("\"status\":null") && lines[0].contains("\"reason\":\"bad_request\""))
            #expect(lines[0].contains("\"detail\":\"the request breaks HTTP/2's own rules"))
        }
    }

    @Test func `a malformed head is answered, counted, and logged at most once a second with the broken rule`()
        async throws
    {
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            for stream: UInt32 in [1, 3, 5] {
                client.request(HTTP2Peer.usual + [("host", "other")], stream: stream)
                #expect(try await client.answer(stream: stream, &decoder).status == "400")
            }
            // The connection continues, and a request that both versions refuse is always logged.
            for stream: UInt32 in [7, 9] {
                client.request(HTTP2Peer.usual.map { $0.0 == ":path" ? (":path", "/a#b") : $0 }, stream: stream)
                #expect(try await client.answer(stream: stream, &decoder).status == "400")
            }
            #expect(gateway.upstream.connectionCount == 0)
            #expect(gateway.gateway.state.limits.counts[.malformedStreams] == 3)
            let lines = try await gateway.logLines(3)
            #expect(
                lines[0].contains(
                    "\"detail\":\"`host` differs from `:authority`: byte 0 (0x6F) of the value of `host`\""))
            #expect(lines[1].contains("\"detail\":\"a `#` in the target: byte 2 (0x23) of the target\""))
        }
    }

    @Test func `a request in reused storage sees nothing of an earlier request`() async throws {
        try await withGateway(Self.settings) { gateway in
            for round in 0..<3 {
                let client = try await HTTP2Peer.connect(gateway)
                client.request(HTTP2Peer.usual + [("cookie", "secret=\(round)"), ("x-round", "\(round)")])
                let server = try await gateway.upstream.connection(0)
                let head = try await server.receive(through: "\r\n\r\n")
                #expect(values("cookie", in: head) == ["secret=\(round)"])
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                #expect(try await client.answer().text == "ok")
                let other = try await HTTP2Peer.connect(gateway)
                other.request(HTTP2Peer.usual)
                let next = try await server.receive(through: "\r\n\r\n")
                #expect(values("cookie", in: next).isEmpty && values("x-round", in: next).isEmpty)
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno")
                #expect(try await other.answer().text == "no")
            }
        }
    }

    @Test func `request trailers are forwarded to an HTTP 1 upstream`() async throws {
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request([(":method", "POST")] + HTTP2Peer.usual.dropFirst() + [("te", "trailers")], ends: false)
            client.send(.data, stream: 1, Array("body".utf8))
            client.send(
                .headers, flags: 5, stream: 1,
                HTTP2Peer.block([("x-sum", "7"), ("authorization", "Bearer x"), ("x-auth-subject", "root")]))
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            let body = try await server.receive(through: "\r\n\r\n")
            #expect(body == "4\r\nbody\r\n0\r\nx-sum: 7\r\n\r\n")
            server.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            #expect(try await client.answer().text == "ok")
        }
    }

    @Test(arguments: [[(":path", "/")], [("authorization", "a\nb")], [("connection", "close")], fields(101, 1)])
    func `invalid trailers reset their stream, and the upstream never sees a complete request`(
        fields: [(String, String)]
    ) async throws {
        try await withGateway(Self.settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            client.request([(":method", "POST")] + HTTP2Peer.usual.dropFirst(), ends: false)
            client.send(.data, stream: 1, Array("body".utf8))
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "body")
            client.send(.headers, flags: 5, stream: 1, HTTP2Peer.block(fields))
            #expect(try await client.next(.resetStream).payload == [0, 0, 0, 1])
            let rest = try await server.receiveToEnd()
            #expect(!rest.contains("0\r\n\r\n"))
        }
    }
}
