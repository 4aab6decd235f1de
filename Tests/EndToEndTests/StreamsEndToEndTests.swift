import DevelopmentIssuer
import Foundation
import TestSupport
import Testing

/// Open-ended exchanges: gRPC calls and event streams, with third-party clients and servers.
@Suite(.serialized) struct StreamsEndToEndTests {
    /// A gateway whose resource has these rules, with an issuer whose tokens expire on the second.
    private static func edge(
        upstream: String, rules: String, resourceLines: String = "", place: String = "/api"
    ) async throws -> EdgeFixture {
        let edge = try await EdgeFixture.start(upstream: upstream, rules: rules, resourceLines: resourceLines)
        let text = edge.text.replacing("token_type: at+jwt", with: "token_type: at+jwt, leeway: 0s")
        try await edge.gateway.reload(text.replacing("at: [/api]", with: "at: [\(place)]"))
        return edge
    }

    @Test(.enabled(if: Interop.pythonWithGRPC != nil))
    func `gRPC calls of every kind are forwarded, and are refused with a gRPC status`()
        async throws
    {
        let python = try #require(Interop.pythonWithGRPC)
        let (server, port) = try await Interop.serve("grpc_calls.py", with: python)
        defer { server.signal(SIGKILL) }
        let rules = """
                  POST /shop.Shop/Upload: shopping:write
                  POST /shop.Shop/{method}: shopping:read
            """
        let edge = try await Self.edge(upstream: "h2c://127.0.0.1:\(port)", rules: rules, place: "/")
        let client = try BearwardProcess(
            program: python,
            [
                Interop.script("grpc_calls.py"), "\(edge.port)", edge.authority.anchor.path, try edge.token(),
                try edge.token(scopes: ["shopping:write"]),
                try edge.token(lifetime: .seconds(6)),
            ])
        let status = await client.exitStatus(within: .seconds(120))
        #expect(status == 0, "\(client.standardError)")
        #expect(client.standardOutput.contains("all calls as they should be"))
        let log = edge.gateway.gateway.standardOutput
        #expect(log.contains("\"reason\":\"expired\""))
        await edge.stop()
    }

    // MARK: WebSockets

    @Test(.enabled(if: Interop.pythonWithWebSockets != nil))
    func `T444, T445 WebSockets are forwarded unchanged, and end when their token expires`()
        async throws
    {
        let python = try #require(Interop.pythonWithWebSockets)
        let (server, port) = try await Interop.serve("websocket_talk.py", with: python)
        defer { server.signal(SIGKILL) }
        let edge = try await Self.edge(
            upstream: "http://127.0.0.1:\(port)", rules: "      GET /chat: shopping:read",
            resourceLines: "    websocket: true\n",
            place: "/")
        let client = try BearwardProcess(
            program: python,
            [
                Interop.script("websocket_talk.py"), "\(edge.port)", edge.authority.anchor.path, try edge.token(),
                try edge.token(lifetime: .seconds(4)), port,
            ])
        let status = await client.exitStatus(within: .seconds(60))
        #expect(status == 0, "\(client.standardError)")
        #expect(client.standardOutput.contains("all sockets as they should be"))
        // The upstream gets a close frame too, each time with the reason.
        #expect(await BearwardProcess.wait { server.standardOutput.contains("closed 1008 The access token expired") })
        #expect(server.standardOutput.contains("closed 4001 enough"))
        #expect(edge.gateway.gateway.standardOutput.contains(/"status":101,"reason":"expired"/))
        await edge.stop()
    }

    // MARK: Event streams

    @Test(.enabled(if: Interop.curl != nil), arguments: ["--http1.1", "--http2"])
    func `events are relayed one by one, and their stream ends when its token expires`(version: String) async throws {
        let source = try await EventSource.start()
        let edge = try await Self.edge(upstream: source.url, rules: "      GET /**: shopping:read")
        let token = try edge.token(lifetime: .seconds(4))
        let began = ContinuousClock.now
        let answer = try await edge.curl([
            version, "-N", "-i", "\(edge.base)/api/events", "-H", "Authorization: Bearer \(token)",
        ])
        let lasted = ContinuousClock.now - began
        #expect(answer.status == 0, "it ends as a whole answer does: \(answer)")
        #expect(answer.output.split(separator: "data: tick").count > 5)
        #expect(lasted < .seconds(10))
        #expect(await BearwardProcess.wait { edge.gateway.gateway.standardOutput.contains("\"reason\":\"expired\"") })
        await edge.stop()
        source.stop()
    }

    @Test(.enabled(if: Interop.curl != nil)) func `a resource may keep its streams open after the token expires`()
        async throws
    {
        let source = try await EventSource.start(count: 60)
        let edge = try await Self.edge(
            upstream: source.url, rules: "      GET /**: shopping:read", resourceLines: "    at_expiry: keep\n")
        let token = try edge.token(lifetime: .seconds(3))
        let answer = try await edge.curl(["-N", "\(edge.base)/api/events", "-H", "Authorization: Bearer \(token)"])
        #expect(answer.status == 0)
        #expect(answer.output.split(separator: "data: tick").count == 60)
        await edge.stop()
        source.stop()
    }
}

/// A server-sent events server with ten events a second.
final class EventSource: Sendable {
    let url: String
    private let server: BearwardProcess

    private init(url: String, server: BearwardProcess) {
        self.url = url
        self.server = server
    }

    /// Starts the server.
    ///
    /// - Parameter count: number of events after which the stream ends by itself.
    static func start(count: Int = 1000) async throws -> EventSource {
        let program = """
            import http.server, time
            class Handler(http.server.BaseHTTPRequestHandler):
                protocol_version = "HTTP/1.1"
                def do_GET(self):
                    self.send_response(200)
                    self.send_header("Content-Type", "text/event-stream")
                    self.send_header("Connection", "close")
                    self.end_headers()
                    try:
                        for _ in range(\(count)):
                            self.wfile.write(b"data: tick\\n\\n"); self.wfile.flush(); time.sleep(0.1)
                    except OSError:
                        pass
                def log_message(self, *_): pass
            server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
            print(server.server_address[1], flush=True)
            server.serve_forever()
            """
        let server = try BearwardProcess(program: try #require(Interop.python), ["-c", program])
        _ = await BearwardProcess.wait { server.standardOutput.hasSuffix("\n") }
        return EventSource(url: "http://127.0.0.1:\(server.standardOutput.filter(\.isNumber))", server: server)
    }

    func stop() { server.signal(SIGKILL) }
}
