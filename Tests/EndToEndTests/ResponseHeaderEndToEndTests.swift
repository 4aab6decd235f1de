import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Response headers that the file sets and removes, through the real command over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .enabled(if: Interop.curl != nil)) struct ResponseHeaderEndToEndTests {
    @Test(arguments: ["--http2", "--http1.1"])
    func `every answer of the resource has the headers that are set, and none that are removed`(flag: String)
        async throws
    {
        let upstream = try await LoopbackServer.start { _ in
            LoopbackReply(
                fields: ["Server": "app/1.2", "X-Powered-By": "PHP", "Cache-Control": "public"],
                body: ByteBuffer(string: "ok"))
        }
        let edge = try await EdgeFixture.start(
            upstream: upstream.url,
            rules: """
                      GET /orders/**: {all_of: [shopping:read], response: {set: {Cache-Control: no-store}}}
                      GET /status: {public: true, response: {remove: X-Frame-Options}}
                """,
            resourceLines: """
                    response:
                      set: {Strict-Transport-Security: max-age=31536000, X-Frame-Options: DENY}
                      remove: [Server, X-Powered-By]

                """)
        func ask(_ arguments: String...) async throws -> [String] {
            let answer = try await edge.curl([flag, "-i"] + arguments)
            return answer.output.split(separator: "\r\n").map { $0.lowercased() }
        }
        let token = try edge.token()
        let orders = try await ask("\(edge.base)/api/orders/7", "-H", "Authorization: Bearer \(token)")
        let status = try await ask("\(edge.base)/api/status")
        let refused = try await ask("\(edge.base)/api/orders/7")
        let elsewhere = try await ask("\(edge.base)/elsewhere")
        for (name, lines, code) in [("orders", orders, "200"), ("status", status, "200"), ("refused", refused, "401")] {
            #expect(lines.first?.contains(" \(code)") == true, "\(name)")
            #expect(lines.contains("strict-transport-security: max-age=31536000"), "\(name) \(lines)")
            #expect(lines.contains("x-frame-options: deny") == (name != "status"), "\(name) \(lines)")
            #expect(!lines.contains { $0.hasPrefix("server:") || $0.hasPrefix("x-powered-by:") }, "\(name) \(lines)")
        }
        #expect(orders.contains("cache-control: no-store") && status.contains("cache-control: public"))
        #expect(refused.count { $0.hasPrefix("cache-control:") } == 1)
        #expect(elsewhere.first?.contains(" 404") == true)
        #expect(!elsewhere.contains { $0.hasPrefix("strict-transport-security:") })
        await edge.stop()
        await upstream.stop()
    }
}
