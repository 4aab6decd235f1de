import Foundation
import TestSupport
import Testing

/// Preflights about any header and of any port of the user's machine, through the real command.
@Suite(.serialized, .enabled(if: Interop.curl != nil)) struct AnyHeaderEndToEndTests {
    @Test(arguments: ["--http2", "--http1.1"])
    func `a preflight of a page on any port is told that it may send the headers it asks about`(flag: String)
        async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(
            upstream: upstream.url,
            resourceLines: "    cors: {origins: [\"http://localhost:*\"], headers: any, expose: [X-Total-Count]}\n")
        func ask(_ origin: String, _ names: String) async throws -> [String] {
            let answer = try await edge.curl([
                flag, "-i", "-X", "OPTIONS", "\(edge.base)/api/orders/7", "-H", "Origin: \(origin)", "-H",
                "Access-Control-Request-Method: GET", "-H", "Access-Control-Request-Headers: \(names)",
            ])
            return answer.output.split(separator: "\r\n").map { $0.lowercased() }
        }
        let granted = try await ask("http://localhost:5173", "authorization,x-trace")
        #expect(granted.first?.hasSuffix(" 204 no content") == true || granted.first == "http/2 204 ")
        #expect(granted.contains("access-control-allow-origin: http://localhost:5173"))
        #expect(granted.contains("access-control-allow-headers: authorization, content-type, x-trace"))
        #expect(granted.contains("vary: origin, access-control-request-method, access-control-request-headers"))
        for (origin, names) in [("https://localhost:5173", "x-trace"), ("http://localhost:5173", "x trace")] {
            let refused = try await ask(origin, names)
            #expect(!refused.contains { $0.hasPrefix("access-control-") }, "\(origin) \(names)")
        }
        #expect(await BearwardProcess.wait { edge.gateway.logged("preflight_refused") == 2 })
        #expect(edge.gateway.logged("preflight") == 1)
        #expect(upstream.connectionCount == 0)
        await edge.stop()
        await upstream.stop()
    }
}
