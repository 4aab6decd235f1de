import AccessControl
import HTTPMessages
import NIOCore
import NIOHPACK
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing

@testable import ReverseProxy

/// Response headers that a file sets and removes, over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayResponseEditTests {
    private static func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) -> GatewaySettings {
        var settings = GatewaySettings()
        settings.responseEdits = ResponseEdits(
            set: [
                .strictTransportSecurity: Array("max-age=60".utf8), .cacheControl: Array("private".utf8),
                .server: Array("shop".utf8),
            ], removed: [.xPoweredBy])
        change(&settings)
        return settings
    }

    private static let answer =
        "HTTP/1.1 200 OK\r\nDate: d\r\nserver: one\r\nServer: two\r\nX-Powered-By: x\r\nx-powered-by: y\r\nX-Powered: z\r\n"
        + "Cache-Control: public\r\nX_Powered_By: kept\r\nStrict-Transport-Security: max-age=0\r\n"
        + "Transfer-Encoding: chunked\r\nTrailer: X-Powered-By\r\n\r\n2\r\nok\r\n0\r\nX-Powered-By: three\r\n\r\n"

    private static func lines(_ head: String) -> [String] {
        head.split(separator: "\r\n").map(String.init).filter {
            !$0.lowercased().hasPrefix("date:") && !$0.lowercased().hasPrefix("x-request-id:")
        }
    }

    @Test
    func `the upstream's headers are replaced and removed, in interim and final heads, and its trailers are kept`()
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            client.send("GET /x HTTP/1.1\r\nHost: a\r\nTE: trailers\r\nConnection: TE\r\n\r\n")
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(
                "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\nX-Powered-By: x\r\nServer: one\r\n\r\n" + Self.answer)
            #expect(fields(try await client.receive(through: "\r\n\r\n")) == ["Link: </x>"])
            #expect(
                Self.lines(try await client.receive(through: "\r\n\r\n")) == [
                    "HTTP/1.1 200 OK", "X-Powered: z", "X_Powered_By: kept",
                    "Strict-Transport-Security: max-age=60", "Cache-Control: private", "Server: shop",
                    "Transfer-Encoding: chunked",
                ])
            #expect(try await client.receive(through: "0\r\nX-Powered-By: three\r\n\r\n").hasPrefix("2\r\nok\r\n"))
        }
    }

    @Test func `Bearward's own answers get the headers that are set, and keep their Cache-Control`() async throws {
        let policy = CrossOriginPolicy(origins: .listed([try OriginPattern("https://app.example")]))
        let settings = Self.settings { $0.crossOrigin = policy }
        try await withGateway(settings) { gateway in
            let client = try await gateway.connect()
            client.send("GET /private/x HTTP/1.1\r\nHost: a\r\n\r\n")
            let refusal = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(refusal) == "HTTP/1.1 401 Unauthorized")
            #expect(values("strict-transport-security", in: refusal) == ["max-age=60"])
            #expect(values("server", in: refusal) == ["shop"])
            #expect(values("cache-control", in: refusal) == ["no-store"])
            _ = try await client.receive(through: "}")
            client.send(
                "OPTIONS /private/x HTTP/1.1\r\nHost: a\r\nOrigin: https://app.example\r\nAccess-Control-Request-Method: GET\r\n\r\n"
            )
            let preflight = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(preflight) == "HTTP/1.1 204 No Content")
            #expect(values("strict-transport-security", in: preflight) == ["max-age=60"])
            #expect(values("cache-control", in: preflight).isEmpty)
            // The resource of an unreadable path is not known.
            client.send("GET /../x HTTP/1.1\r\nHost: a\r\n\r\n")
            let unknown = try await client.receive(through: "\r\n\r\n")
            #expect(firstLine(unknown) == "HTTP/1.1 400 Bad Request")
            #expect(values("strict-transport-security", in: unknown).isEmpty)
        }
    }

    @Test func `over HTTP 2 the headers are the same`() async throws {
        try await withGateway(Self.settings { $0.service = .plain(.http2) }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let head = [(":method", "GET"), (":scheme", "http"), (":authority", "a")]
            client.request(head + [(":path", "/private/x")], stream: 1)
            let refusal = try await client.answer(stream: 1, &decoder)
            #expect(refusal.status == "401")
            #expect(refusal.heads.last?["strict-transport-security"] == ["max-age=60"])
            #expect(refusal.heads.last?["cache-control"] == ["no-store"])
            client.request(head + [(":path", "/x"), ("te", "trailers")], stream: 3)
            let server = try await gateway.upstream.connection()
            _ = try await server.receive(through: "\r\n\r\n")
            server.send(Self.answer)
            let answer = try await client.answer(stream: 3, &decoder)
            let fields = try #require(answer.heads.first)
            #expect(fields["strict-transport-security"] == ["max-age=60"] && fields["server"] == ["shop"])
            #expect(fields["cache-control"] == ["private"] && fields["x-powered-by"] == [])
            #expect(fields["x-powered"] == ["z"])
        }
    }
}
