import Foundation
import NIOCore
import TestSupport
import Testing

/// Maintenance of a resource and of a rule, through the real command over HTTP/1.1 and HTTP/2.
@Suite(.serialized, .enabled(if: Interop.curl != nil)) struct MaintenanceEndToEndTests {
    private static func text(_ edge: EdgeFixture, resource: String = "", rule: String = "") -> String {
        edge.text.replacing("    strip_prefix: true\n", with: "    strip_prefix: true\n\(resource)")
            .replacing("GET /orders/**: shopping:read", with: "GET /orders/**: {all_of: [shopping:read]\(rule)}")
    }

    @Test(arguments: ["--http2", "--http1.1"])
    func `requests are refused until the time comes, and are then answered without a reload`(flag: String) async throws
    {
        let upstream = try await LoopbackServer.upstream()
        let edge = try await EdgeFixture.start(upstream: upstream.url)
        let token = try edge.token()
        func ask(_ path: String) async throws -> String {
            try await edge.curl([flag, "-i", "\(edge.base)/api\(path)", "-H", "Authorization: Bearer \(token)"]).output
        }
        func status(_ path: String) async throws -> String {
            String(try await ask(path).split(separator: " ").dropFirst().first ?? "")
        }
        #expect(try await status("/orders/7") == "200")
        try await edge.gateway.reload(Self.text(edge, rule: ", maintenance: {retry_after: 1500ms}"))
        let refusal = try await ask("/orders/7").lowercased()
        #expect(refusal.contains(" 503"))
        #expect(refusal.contains("\r\nretry-after: 2\r\n"))
        #expect(refusal.contains("\r\ncontent-type: application/problem+json\r\n"))
        #expect(!refusal.contains("www-authenticate"))
        #expect(try await status("/status") == "200")
        #expect(await BearwardProcess.wait { edge.gateway.logged("maintenance") == 1 })
        #expect(
            edge.gateway.gateway.standardOutput.contains(
                "the rule is in maintenance until `maintenance` is taken out of the file"))
        let end = Date.now.addingTimeInterval(3)
        let until = end.formatted(.iso8601)
        try await edge.gateway.reload(Self.text(edge, resource: "    maintenance: {until: \"\(until)\"}\n"))
        #expect(try await status("/status") == "503")
        #expect(try await status("/nothing") == "503")
        let metrics = try await edge.gateway.administration("/metrics").body
        #expect(metrics.contains(#"reason="maintenance""#))
        #expect(try await edge.gateway.administration("/readyz").status == 200)
        var answers: [String] = []
        while Date.now < end.addingTimeInterval(10), answers.last != "200" {
            answers.append(try await status("/orders/7"))
        }
        #expect(answers.last == "200" && Date.now >= end.addingTimeInterval(-1))
        #expect(answers.dropLast().allSatisfy { $0 == "503" })
        await edge.stop()
        await upstream.stop()
    }
}
