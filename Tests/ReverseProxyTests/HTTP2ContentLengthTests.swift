import NIOCore
import NIOHPACK
import ProxySettings
import Testing

@testable import ReverseProxy

/// HTTP/2 bodies that differ from their Content-Length (RFC 9113 §8.1.1). Forwarded over HTTP/1.1, surplus bytes would
/// become the next request.
@Suite(.serialized, .timeLimit(.minutes(1)))
struct HTTP2ContentLengthTests {
    private static func post(_ length: Int) -> [(String, String)] {
        [
            (":method", "POST"), (":scheme", "http"), (":path", "/"), (":authority", "a"),
            ("content-length", "\(length)"),
        ]
    }

    private static let smuggled = Array("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n".utf8)

    /// A request that a client sends on stream 1.
    struct Body: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let length: Int
        var headEnds = false
        /// Contents of the DATA frames, each with its END_STREAM flag.
        var parts: [([UInt8], Bool)] = []
        /// The body bytes that may reach the upstream.
        var allowed = ""
    }

    private static let bodies = [
        Body(testDescription: "0, and a request", length: 0, parts: [(smuggled, true)]),
        Body(testDescription: "0, and a request without end", length: 0, parts: [(smuggled, false)]),
        Body(testDescription: "0, an empty frame, and a request", length: 0, parts: [([], false), (smuggled, true)]),
        Body(testDescription: "5, and more in one frame", length: 5, parts: [(Array("hello".utf8) + smuggled, true)]),
        Body(
            testDescription: "5, and more in another", length: 5,
            parts: [(Array("hello".utf8), false), (smuggled, true)],
            allowed: "hello"),
        Body(testDescription: "5, and 3 came", length: 5, parts: [(Array("hel".utf8), true)], allowed: "hel"),
        Body(testDescription: "5, and none came", length: 5, headEnds: true),
        Body(testDescription: "5, and an empty end", length: 5, parts: [([], true)]),
    ]

    private static func http2() -> GatewaySettings {
        var settings = GatewaySettings()
        settings.service = .plain(.http2)
        return settings
    }

    @Test(arguments: bodies, [true, false])
    func `a body unlike its Content-Length resets its stream, and its request is not answered`(
        body: Body, atOnce: Bool
    ) async throws {
        try await withGateway(Self.http2()) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var frames = [
                HTTP2Peer.frame(
                    .headers, flags: body.headEnds ? 5 : 4, stream: 1, HTTP2Peer.block(Self.post(body.length)))
            ]
            frames += body.parts.map { HTTP2Peer.frame(.data, flags: $0.1 ? 1 : 0, stream: 1, $0.0) }
            if atOnce {
                client.peer.send(frames.flatMap(\.self))
            } else {
                for (number, frame) in frames.enumerated() {
                    try await client.peer.sendAll(frame)
                    // The head and all allowed bytes reach the upstream before the rest is sent.
                    if number == 0, !body.headEnds { try await eventually { gateway.gateway.requestsInFlight == 1 } }
                }
            }
            #expect(try await client.next(.resetStream, stream: 1).payload == [0, 0, 0, 1])
            // The connection stays open, and its next request is the next one that the upstream sees.
            client.request(
                [(":method", "GET"), (":scheme", "http"), (":path", "/next"), (":authority", "a")], stream: 3)
            let next = try await Self.head(beginning: "GET /next ", at: gateway.upstream)
            next.send("HTTP/1.1 204 No Content\r\nDate: d\r\n\r\n")
            _ = try await client.next(.headers, stream: 3)
            for index in 0..<gateway.upstream.connectionCount {
                let seen = try await gateway.upstream.connection(index).text
                #expect(!seen.contains("/smuggled"), "\(seen)")
                #expect(
                    seen.isEmpty || seen.hasSuffix("\r\n\r\n\(body.allowed)") || seen.hasSuffix("\r\n\r\n"), "\(seen)")
            }
            try await eventually { gateway.gateway.requestsInFlight == 0 }
            #expect(gateway.gateway.requestsInFlight == 0)
        }
    }

    /// Finds the upstream connection that receives a head with this beginning, and takes that head.
    private static func head(beginning start: String, at upstream: RawUpstream) async throws -> RawPeer {
        var found: RawPeer?
        for _ in 0..<2000 where found == nil {
            for index in 0..<upstream.connectionCount {
                let peer = try await upstream.connection(index)
                if peer.text.hasPrefix(start), peer.takeThrough("\r\n\r\n") != nil { found = peer }
            }
            if found == nil { try await Task.sleep(for: .milliseconds(5)) }
        }
        return try #require(found, "no upstream connection begins with \(start)")
    }

    @Test func `requests with a matching Content-Length are answered, also with 0 and an empty DATA frame`()
        async throws
    {
        try await withGateway(Self.http2()) { gateway in
            let echo = gateway.upstream.echo()
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            client.request(Self.post(0), ends: false)
            client.send(.data, flags: 1, stream: 1)
            #expect(try await client.answer(&decoder).status == "200")
            client.request(Self.post(0), stream: 3)
            #expect(try await client.answer(stream: 3, &decoder).status == "200")
            echo.cancel()
        }
    }
}
