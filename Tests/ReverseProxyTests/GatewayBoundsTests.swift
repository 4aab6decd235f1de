import AccessControl
import NIOCore
import NIOHPACK
import ProxySettings
import RequestAuthorization
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// Bounds of a resource within those of the gateway, over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayBoundsTests {
    private static func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) -> GatewaySettings {
        var settings = GatewaySettings(limits: ProxyLimits(body: 6), timeouts: ProxyTimeouts(drain: .zero))
        settings.bounds = ForwardingBounds(body: 4)
        change(&settings)
        return settings
    }

    @Test func `a body of the resource's size is forwarded, and a longer one is 413, however it is framed`()
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let echo = Task {
                for (index, body) in ["wxyz", "uvwxyz"].enumerated() {
                    let server = try await gateway.upstream.connection(index)
                    _ = try await server.receive(through: body)
                    server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                }
            }
            let exact = try await gateway.connect()
            exact.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nwxyz")
            #expect(firstLine(try await exact.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            // Another resource has the gateway's own limit.
            let other = try await gateway.connect()
            other.send("POST /shop/x HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\n\r\nuvwxyz")
            #expect(firstLine(try await other.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            _ = try await echo.value
            try await expectFiveBytesRefused(gateway)
            #expect(try await gateway.logLines(4)[3].contains(#""reason":"body_too_large""#))
        }
    }

    @Test func `the bounds of one request do not hold for the next on its connection`() async throws {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            for (path, body) in [("/", "wxyz"), ("/shop/x", "uvwxyz")] {
                client.send("POST \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count)\r\n\r\n\(body)")
                let server = try await gateway.upstream.connection()
                _ = try await server.receive(through: body)
                server.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 200 OK")
            }
        }
    }

    @Test func `over HTTP 2 a longer body is 413, with and without its length`() async throws {
        try await withGateway(Self.settings { $0.service = .plain(.http2) }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let head = [(":method", "POST"), (":scheme", "http"), (":authority", "a"), (":path", "/")]
            client.request(head + [("content-length", "5")], stream: 1, ends: false)
            #expect(try await client.answer(stream: 1, &decoder).status == "413")
            client.request(head, stream: 3, ends: false)
            client.send(.data, flags: 0, stream: 3, Array("abcde".utf8))
            #expect(try await client.answer(stream: 3, &decoder).status == "413")
        }
    }

    @Test(arguments: [false, true])
    func `an upstream that does not answer in the resource's time is 504`(isHTTP2: Bool) async throws {
        let settings = Self.settings {
            $0.bounds = ForwardingBounds(firstByte: .milliseconds(200))
            if isHTTP2 { $0.service = .plain(.http2) }
        }
        try await withGateway(settings) { gateway in
            if isHTTP2 {
                let client = try await HTTP2Peer.connect(gateway)
                var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
                client.request(
                    [(":method", "GET"), (":scheme", "http"), (":authority", "a"), (":path", "/x")], stream: 1)
                #expect(try await client.answer(stream: 1, &decoder).status == "504")
            } else {
                let client = try await gateway.connect()
                client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(firstLine(try await client.receive(through: "\r\n\r\n")) == "HTTP/1.1 504 Gateway Timeout")
            }
            #expect(try await gateway.logLines(1)[0].contains(#""reason":"upstream_timeout""#))
        }
    }

    // MARK: Which bounds count

    @Test func `a rule's bounds replace those of its resource one by one`() throws {
        let rules = try RouteTable(["GET /a", "GET /b", "GET /c"].map { try RoutePattern($0) })
        var resource = ProtectedResource(
            identifier: "r", places: [], issuers: [], routes: rules, policies: [.public, .public, .public],
            upstreamRoutes: RouteTable(), upstreams: [])
        let none = resource
        resource.bounds = ForwardingBounds(body: 10, firstByte: .seconds(5))
        resource.ruleBounds = [
            ForwardingBounds(), ForwardingBounds(body: 20), ForwardingBounds(body: 0, firstByte: .seconds(1)),
        ]
        let table = BoundsOfRules([none, resource])
        let expected: [(RuleIndex?, Int, Duration)] = [
            (nil, 10, .seconds(5)), (0, 10, .seconds(5)), (1, 20, .seconds(5)), (2, 0, .seconds(1)),
        ]
        for (rule, body, firstByte) in expected {
            let bounds = RequestBounds(ForwardingBounds(body: body, firstByte: firstByte))
            #expect(table.bounds(of: rule, 1) == bounds, "\(String(describing: rule))")
        }
        #expect(table.bounds(of: 3, 1) == nil && table.bounds(of: 0, 2) == nil)
        for rule in [nil, 0] as [RuleIndex?] {
            #expect(table.bounds(of: rule, 0) == nil && table.bounds(of: rule, nil) == nil)
        }
    }
}
