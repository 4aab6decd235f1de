import AccessControl
import NIOCore
import NIOHPACK
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TransportSecurity

@testable import ReverseProxy

/// CORS as bytes on the wire, over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayCrossOriginTests {
    private static let page = "https://app.example"
    private static let exposed =
        "WWW-Authenticate, Retry-After, RateLimit, RateLimit-Policy, X-Request-ID, X-Total-Count"

    private static func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) throws -> GatewaySettings {
        var settings = GatewaySettings()
        settings.crossOrigin = CrossOriginPolicy(
            origins: .listed([try OriginPattern(page)]), allowsCredentials: true, exposedFields: ["X-Total-Count"])
        change(&settings)
        return settings
    }

    /// The lines of a head, without `Date` and `X-Request-ID`, which differ per answer.
    private static func lines(_ head: String) -> [String] {
        head.split(separator: "\r\n").map(String.init).filter {
            !$0.lowercased().hasPrefix("date:") && !$0.lowercased().hasPrefix("x-request-id:")
        }
    }

    @Test func `a preflight is answered with 204 without content, and the connection stays open`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            for _ in 0..<2 {
                client.send(
                    "OPTIONS /private/x HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\nAccess-Control-Request-Method: PUT\r\n"
                        + "Access-Control-Request-Headers: authorization\r\n\r\n")
                #expect(
                    Self.lines(try await client.receive(through: "\r\n\r\n")) == [
                        "HTTP/1.1 204 No Content", "access-control-allow-origin: \(Self.page)",
                        "access-control-allow-credentials: true", "access-control-allow-methods: PUT",
                        "access-control-allow-headers: authorization, content-type", "access-control-max-age: 600",
                        "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
                    ])
            }
            client.send(
                "OPTIONS /private/x HTTP/1.1\r\nHost: a\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: PUT\r\n\r\n"
            )
            #expect(
                Self.lines(try await client.receive(through: "\r\n\r\n")) == [
                    "HTTP/1.1 204 No Content",
                    "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
                ])
            #expect(gateway.upstream.connectionCount == 0)
            let log = try await gateway.logLines(3)
            #expect(log[0].contains(#""rule":null,"status":204,"reason":"preflight","#))
            #expect(log[2].contains(#""status":204,"reason":"preflight_refused","hint":"its origin is not in"#))
            #expect(
                log[2].contains(
                    #""detail":"asked: origin \"https://evil.example\", method \"PUT\"; granted: origins https://app.example""#
                ))
            var counts: [String: UInt64] = [:]
            let areCounted = try await holds {
                counts = gateway.gateway.state.decisions.finished.counts.reduce(into: [:]) {
                    $0[$1.key[3], default: 0] += $1.value
                }
                return counts == ["preflight": 2, "preflight_refused": 1]
            }
            #expect(areCounted, "\(counts)")
        }
    }

    @Test(arguments: [false, true])
    func `with any header permitted, the answer to a preflight names those asked about`(isHTTP2: Bool) async throws {
        let policy = CrossOriginPolicy(
            origins: .listed([try OriginPattern("http://localhost:*")]), requestFields: .any)
        let settings = try Self.settings {
            $0.crossOrigin = policy
            if isHTTP2 { $0.service = .plain(.http2) }
        }
        let permitted = "authorization, content-type, x-b, x-a"
        try await withGateway(settings) { gateway in
            if isHTTP2 {
                let client = try await HTTP2Peer.connect(gateway)
                var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
                client.request(
                    [
                        (":method", "OPTIONS"), (":path", "/private"), (":scheme", "http"), (":authority", "a"),
                        ("origin", "http://localhost:5173"), ("access-control-request-method", "PUT"),
                        ("access-control-request-headers", "authorization,x-b"),
                        ("access-control-request-headers", "x-a"),
                    ], stream: 1)
                let answer = try await client.answer(stream: 1, &decoder)
                #expect(answer.status == "204")
                #expect(answer.heads.last?["access-control-allow-origin"] == ["http://localhost:5173"])
                #expect(answer.heads.last?["access-control-allow-headers"] == [permitted])
            } else {
                let client = try await gateway.connect()
                let head =
                    "OPTIONS /private HTTP/1.1\r\nHost: a\r\nOrigin: http://localhost:5173\r\n"
                    + "Access-Control-Request-Method: PUT\r\n"
                client.send(
                    head + "Access-Control-Request-Headers: authorization,x-b\r\n"
                        + "Access-Control-Request-Headers: x-a\r\n\r\n")
                let answer = try await client.receive(through: "\r\n\r\n")
                #expect(values("access-control-allow-origin", in: answer) == ["http://localhost:5173"])
                #expect(values("access-control-allow-headers", in: answer) == [permitted])
                #expect(
                    values("vary", in: answer) == [
                        "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
                    ])
                client.send(head + "Access-Control-Request-Headers: x-a\"b\r\n\r\n")
                let refusal = try await client.receive(through: "\r\n\r\n")
                #expect(firstLine(refusal) == "HTTP/1.1 204 No Content")
                #expect(!refusal.contains("access-control-allow"))
                let log = try await gateway.logLines(2)
                #expect(
                    log[1].contains(#""reason":"preflight_refused","hint":"`Access-Control-Request-Headers` has an"#))
            }
        }
    }

    @Test func `a page of any origin may read the protected resource metadata`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            let path = "/.well-known/oauth-protected-resource/documented"
            client.send(
                "OPTIONS \(path) HTTP/1.1\r\nHost: api.example\r\nOrigin: \(Self.page)\r\nAccess-Control-Request-Method: GET\r\n"
                    + "Access-Control-Request-Headers: mcp-protocol-version\r\n\r\n")
            #expect(
                Self.lines(try await client.receive(through: "\r\n\r\n")) == [
                    "HTTP/1.1 204 No Content", "access-control-allow-origin: *", "access-control-allow-methods: GET",
                    "access-control-allow-headers: authorization, content-type, *", "access-control-max-age: 600",
                    "vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
                ])
            client.send(
                "GET \(path) HTTP/1.1\r\nHost: api.example\r\nOrigin: \(Self.page)\r\nMCP-Protocol-Version: 1\r\n\r\n")
            let document = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(document) == "HTTP/1.1 200 OK")
            #expect(values("access-control-allow-origin", in: document) == ["*"])
            #expect(gateway.upstream.connectionCount == 0)
            let log = try await gateway.logLines(2)
            #expect(log.first?.contains(#""resource":null,"rule":null,"status":204,"reason":"preflight","#) == true)
        }
    }

    @Test func `a preflight with a body is answered, and the request after the body is parsed`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send(
                "OPTIONS /private HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\nAccess-Control-Request-Method: PUT\r\n"
                    + "Content-Length: 3\r\n\r\nabcGET /private HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\n\r\n")
            #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 204 No Content")
            let refusal = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(refusal) == "HTTP/1.1 401 Unauthorized")
            #expect(values("access-control-allow-origin", in: refusal) == [Self.page])
            #expect(values("access-control-allow-credentials", in: refusal) == ["true"])
            #expect(values("access-control-expose-headers", in: refusal) == [Self.exposed])
            #expect(values("vary", in: refusal) == ["Origin"])
        }
    }

    @Test(
        arguments: [
            (
                "GET /private HTTP/1.1\r\nAuthorization: Bearer \(TestToken.good.with("iss", "\"https://idp.example\"").signed(by: TestKeys.rsa))",
                503
            ),
            ("GET /private HTTP/1.1\r\nAuthorization: Basic x", 401), ("POST /x HTTP/1.1\r\nContent-Length: 9", 413),
            ("GET /x;y HTTP/1.1", 400), ("GET /dead HTTP/1.1", 502),
        ])
    func `only pages of an allowed origin can read refusals, and they can read each of them`(
        request: String, status: Int
    ) async throws {
        let settings = try Self.settings { $0.limits = ProxyLimits(body: 4) }
        let upstream = try await RawUpstream.start()
        let target = upstream.target
        try await upstream.stop()
        try await withGateway(settings, targets: [target]) { gateway in
            for (origin, allowed) in [(Self.page, [Self.page]), ("https://evil.example", [])] {
                let client = try await gateway.connect()
                client.send(request + "\r\nHost: a\r\nOrigin: \(origin)\r\n\r\n")
                let head = try await client.receive(through: "\r\n\r\n")
                #expect(firstLine(head).hasPrefix("HTTP/1.1 \(status) "))
                #expect(values("access-control-allow-origin", in: head) == allowed)
                #expect(values("access-control-expose-headers", in: head) == (allowed.isEmpty ? [] : [Self.exposed]))
                #expect(values("vary", in: head) == ["Origin"])
            }
        }
    }

    private static let answer =
        "HTTP/1.1 200 OK\r\nDate: d\r\nAccess-Control-Allow-Origin: *\r\nACCESS-CONTROL-EXPOSE-HEADERS: *\r\naccess-control-x: y\r\n"
        + "Vary: Accept\r\nAccess-Controlled: yes\r\nX-Total-Count: 7\r\nContent-Length: 2\r\n\r\nok"

    @Test func `the upstream's CORS fields are replaced, and its Vary is kept`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send("GET /x HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\n\r\n")
            let server = try await gateway.upstream.connection()
            #expect(values("origin", in: try await server.receive(through: "\r\n\r\n")) == [Self.page])
            server.send(
                "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nAccess-Control-Allow-Origin: *\r\n\r\n" + Self.answer)
            #expect(fields(try await client.receive(through: "\r\n\r\n")) == ["Link: </x>"])
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(
                Self.lines(head) == [
                    "HTTP/1.1 200 OK", "Vary: Accept", "Access-Controlled: yes", "X-Total-Count: 7",
                    "access-control-allow-origin: \(Self.page)", "access-control-allow-credentials: true",
                    "access-control-expose-headers: \(Self.exposed)", "vary: Origin", "Content-Length: 2",
                ])
        }
    }

    @Test func `without a CORS policy the upstream's CORS fields pass, and none are added`() async throws {
        try await withGateway { gateway in
            let client = try await gateway.connect()
            client.send("GET /x HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(Self.answer)
            let head = try await client.receive(through: "\r\n\r\n")
            #expect(values("access-control-allow-origin", in: head) == ["*"] && values("vary", in: head) == ["Accept"])
            _ = try await client.receive(through: "ok")
            client.send("GET /private HTTP/1.1\r\nHost: a\r\nOrigin: \(Self.page)\r\n\r\n")
            let refusal = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(refusal) == "HTTP/1.1 401 Unauthorized")
            #expect(!refusal.lowercased().contains("access-control") && values("vary", in: refusal).isEmpty)
        }
    }

    // MARK: HTTP/2

    @Test func `preflights, refusals and answers have the same CORS fields over HTTP 2`() async throws {
        let settings = try Self.settings { $0.service = .plain(.http2) }
        try await withGateway(settings) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let head = [(":scheme", "http"), (":authority", "a"), ("origin", Self.page)]
            client.request(
                [(":method", "OPTIONS"), (":path", "/private")] + head + [("access-control-request-method", "PUT")],
                stream: 1)
            let preflight = try await client.answer(stream: 1, &decoder)
            #expect(preflight.status == "204" && preflight.text.isEmpty)
            #expect(preflight.heads.last?["access-control-allow-origin"] == [Self.page])
            #expect(preflight.heads.last?["access-control-allow-methods"] == ["PUT"])
            #expect(preflight.heads.last?["content-length"] == [])
            client.request([(":method", "GET"), (":path", "/private")] + head, stream: 3)
            let refusal = try await client.answer(stream: 3, &decoder)
            #expect(refusal.status == "401")
            #expect(refusal.heads.last?["access-control-allow-origin"] == [Self.page])
            #expect(refusal.heads.last?["access-control-expose-headers"] == [Self.exposed])
            client.request([(":method", "GET"), (":path", "/x")] + head, stream: 5)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(Self.answer)
            let answer = try await client.answer(stream: 5, &decoder)
            #expect(answer.heads.last?["access-control-allow-origin"] == [Self.page])
            #expect(answer.heads.last?["access-control-expose-headers"] == [Self.exposed])
            #expect(answer.heads.last?["access-control-x"] == [])
            #expect(answer.heads.last?["vary"] == ["Accept", "Origin"])
            client.request(
                [(":method", "POST"), (":path", "/private")] + head + [
                    ("content-type", "application/grpc"), ("te", "trailers"),
                ], stream: 7)
            let call = try await client.answer(stream: 7, &decoder)
            #expect(
                call.heads.last?["grpc-status"] == ["16"]
                    && call.heads.last?["access-control-allow-origin"] == [Self.page])
        }
    }
}
