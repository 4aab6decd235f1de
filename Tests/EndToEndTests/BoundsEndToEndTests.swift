import Foundation
import NIOCore
import TestSupport
import Testing

/// Limits and time-outs of a resource and a rule, through the real command over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .enabled(if: Interop.curl != nil)) struct BoundsEndToEndTests {
    private static let rules = """
              POST /orders: {public: true, limits: {body: 1KiB}}
              POST /uploads: {public: true}
              GET /slow: {public: true, timeouts: {first_byte: 300ms}}
              GET /quick: {public: true}
        """

    @Test(arguments: ["--http2", "--http1.1"])
    func `a rule's body and time-out are enforced, and the file's hold elsewhere`(flag: String) async throws {
        let (gate, open) = AsyncStream<Void>.makeStream()
        let upstream = try await LoopbackServer.start { request in
            if request.path == "/slow" { for await _ in gate {} }
            return LoopbackReply(body: ByteBuffer(string: "ok"))
        }
        let edge = try await EdgeFixture.start(
            upstream: upstream.url, rules: Self.rules, resourceLines: "    limits: {body: 2KiB}\n",
            topLines: "limits: {body: 4KiB}\n")
        func status(_ path: String, body count: Int? = nil) async throws -> String {
            let data = count.map { ["--data-binary", String(repeating: "x", count: $0)] } ?? []
            let arguments = [flag, "-o", "/dev/null", "-w", "%{http_code}", "-H", "Expect:"] + data
            return try await edge.curl(arguments + ["\(edge.base)/api\(path)"]).output
        }
        for (path, size, expected) in [
            ("/orders", 1024, "200"), ("/orders", 1025, "413"), ("/uploads", 2048, "200"), ("/uploads", 2049, "413"),
        ] {
            #expect(try await status(path, body: size) == expected, "\(path) \(size)")
        }
        #expect(try await status("/quick") == "200")
        #expect(try await status("/slow") == "504")
        #expect(await BearwardProcess.wait { edge.gateway.logged("body_too_large") == 2 })
        #expect(edge.gateway.logged("upstream_timeout") == 1)
        open.finish()
        // Beyond the file's own limit the file is refused, and the old one stays in force.
        try edge.gateway.put(edge.text.replacing("limits: {body: 2KiB}", with: "limits: {body: 5KiB}"))
        edge.gateway.gateway.signal(SIGHUP)
        let refused = await BearwardProcess.wait {
            edge.gateway.gateway.standardError.contains("5KiB is more than `limits.body` of the file, 4KiB")
        }
        #expect(refused, "\(edge.gateway.gateway.standardError)")
        #expect(try await status("/orders", body: 1025) == "413")
        await edge.stop()
        await upstream.stop()
    }
}
