import AccessControl
import NIOCore
import NIOHPACK
import ProxySettings
import TestSupport
import Testing
import TokenVerification

@testable import ReverseProxy

/// Maintenance on the wire, over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct GatewayMaintenanceTests {
    private static func settings(_ change: (inout GatewaySettings) -> Void = { _ in }) -> GatewaySettings {
        var settings = GatewaySettings(keys: TestKeys.set)
        settings.maintenance = Maintenance(retryAfter: .milliseconds(1001))
        change(&settings)
        return settings
    }

    @Test func `a request with a body is refused with a problem document, and the connection serves the next one`()
        async throws
    {
        try await withGateway(Self.settings()) { gateway in
            let client = try await gateway.connect()
            for _ in 0..<2 {
                client.send("POST /private/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc")
                let head = try await client.receive(through: "\r\n\r\n")
                #expect(firstLine(head) == "HTTP/1.1 503 Service Unavailable")
                #expect(values("retry-after", in: head) == ["2"])
                #expect(values("content-type", in: head) == ["application/problem+json"])
                #expect(values("cache-control", in: head) == ["no-store"])
                #expect(values("www-authenticate", in: head).isEmpty)
                #expect(try await client.receive(through: "}").contains(#""status":503"#))
            }
            #expect(gateway.upstream.connectionCount == 0)
            let line = try await gateway.logLines(2)[0]
            #expect(line.contains(#""status":503,"reason":"maintenance","#))
            #expect(
                line.contains(
                    #""detail":"the resource is in maintenance until `maintenance` is taken out of the file""#))
            let state = gateway.gateway.state
            try await eventually { state.decisions.finished.counts.values.reduce(0, +) == 2 }
            #expect(Set(state.decisions.finished.counts.keys.map { $0[3] }) == ["maintenance"])
        }
    }

    @Test func `over HTTP 2 the answer is the same, and a gRPC call gets the status UNAVAILABLE`() async throws {
        try await withGateway(Self.settings { $0.service = .plain(.http2) }) { gateway in
            let client = try await HTTP2Peer.connect(gateway)
            var decoder = HPACKDecoder(allocator: ByteBufferAllocator())
            let head = [(":scheme", "http"), (":authority", "a"), (":path", "/private/x")]
            client.request([(":method", "GET")] + head, stream: 1)
            let refusal = try await client.answer(stream: 1, &decoder)
            #expect(refusal.status == "503" && refusal.text.contains(#""status":503"#))
            #expect(refusal.heads.last?["retry-after"] == ["2"])
            client.request(
                [(":method", "POST")] + head + [("content-type", "application/grpc"), ("te", "trailers")], stream: 3)
            let call = try await client.answer(stream: 3, &decoder)
            #expect(call.status == "200" && call.heads.last?["grpc-status"] == ["14"])
            #expect(call.heads.last?["retry-after"] == ["2"])
        }
    }
}
