import AsyncHTTPClient
import DevelopmentIssuer
import Foundation
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// Several targets behind the real command: one that is gone is left out, and the admin listener says so.
@Suite(.serialized) struct FleetEndToEndTests {
    private struct Report: Decodable {
        struct Upstream: Decodable {
            let resource: String
            let path: String
            let targets: [Target]
        }

        struct Target: Decodable {
            let target: String
            let state: String
            let since: Int?
            let cause: String?
            let inFlight: Int

            enum CodingKeys: String, CodingKey {
                case target, state, cause
                case since = "since_seconds"
                case inFlight = "in_flight"
            }
        }

        let upstreams: [Upstream]
    }

    private static func text(shop: String, deadPort: Int) -> String {
        """
        listen: 127.0.0.1:0
        admin: 127.0.0.1:0
        timeouts: {drain: 1s}
        resources:
          open:
            at: [/]
            upstream: {targets: ["\(shop)", "http://127.0.0.1:\(deadPort)"], balance: round_robin, eject: {for: 1h}}
            rules: {GET /**: {public: true}}

        """
    }

    @Test func `a target that is gone is left out, and the admin listener tells which and why`() async throws {
        let shop = try await SampleShop.start()
        let deadPort = try FreePort.find()
        let served = try await ServedFile.start(Self.text(shop: shop.url, deadPort: deadPort))
        for _ in 0..<30 { #expect(try await served.ask("/status", token: nil).status == 200) }
        let answer = try await served.administration("/api/upstreams")
        let report = try JSONDecoder().decode(Report.self, from: Data(answer.body.utf8))
        let targets = try #require(report.upstreams.first?.targets)
        #expect(report.upstreams.count == 1 && report.upstreams.first?.resource == "open" && report.upstreams.first?.path == "/")
        #expect(targets.map(\.state) == ["in", "out"] && targets.map(\.inFlight) == [0, 0])
        #expect(targets[1].target == "127.0.0.1:\(deadPort)" && targets[1].cause == "no connection" && targets[1].since != nil)
        #expect(served.gateway.count(of: "Upstream target is left out after failures") == 1)
        let metrics = try await served.administration("/metrics").body
        #expect(metrics.contains(#"bearward_upstream_target_in{resource="open",path="/",target="127.0.0.1:\#(deadPort)"} 0"#))
        // A page whose own name leads here must not read it (DNS rebinding).
        for (host, status) in [
            ("evil.example", 421), ("127.0.0.1.evil.example:\(served.adminPort)", 421), ("localhost", 200), ("[::1]:1", 200),
        ] {
            #expect(try await Self.status(served, host: host) == status, "\(host)")
        }
        await served.stop()
        await shop.stop()
    }

    @Test func `an operator with the token drains a target and brings it back`() async throws {
        let shops = [try await SampleShop.start(), try await SampleShop.start()]
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("admin-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let token = folder.appendingPathComponent("token")
        try "0123456789abcdef0123456789abcdef\n".write(to: token, atomically: true, encoding: .utf8)
        let served = try await ServedFile.start(
            """
            listen: 127.0.0.1:0
            admin: {address: "127.0.0.1:0", token_file: "\(token.path)"}
            timeouts: {drain: 1s}
            resources:
              open:
                at: [/]
                upstream: ["\(shops[0].url)", "\(shops[1].url)"]
                rules: {GET /**: {public: true}}

            """)
        let target = shops[0].url.replacing("http://", with: "")
        func post(_ path: String, _ token: String?) async throws -> (status: Int, body: String) {
            var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)/api/upstreams/\(path)")
            request.method = .POST
            if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
            return (Int(answer.status.code), String(buffer: try await answer.body.collect(upTo: 65_536)))
        }
        let good = "0123456789abcdef0123456789abcdef"
        #expect(try await post("drain?target=\(target)", nil).status == 401)
        #expect(try await post("drain?target=\(target)", "wrong").status == 401)
        #expect(try await post("drain?target=10.9.9.9:1", good).status == 404)
        #expect(try await post("drain?target=\(target)&resource=other", good).status == 404)
        #expect(try await post("drain", good).status == 400)
        let drained = try await post("drain?target=\(target)", good)
        let report = try JSONDecoder().decode(Report.self, from: Data(drained.body.utf8))
        #expect(drained.status == 200 && report.upstreams.first?.targets.map(\.state) == ["out", "in"])
        #expect(report.upstreams.first?.targets.first?.cause == "drained by an operator")
        for _ in 0..<10 { #expect(try await served.ask("/status", token: nil).status == 200) }
        let metrics = try await served.administration("/metrics").body
        #expect(!metrics.contains(#"bearward_upstream_requests_total{target="\#(target)""#))
        #expect(served.gateway.count(of: "Upstream target is drained") == 1)
        let back = try JSONDecoder().decode(Report.self, from: Data(try await post("return?target=\(target)&path=/", good).body.utf8))
        #expect(back.upstreams.first?.targets.map(\.state) == ["in", "in"])
        await served.stop()
        for shop in shops { await shop.stop() }
    }

    private static func status(_ served: ServedFile, host: String) async throws -> Int {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(served.adminPort)/api/upstreams")
        request.headers.add(name: "Host", value: host)
        return Int(try await HTTPClient.shared.execute(request, timeout: .seconds(10)).status.code)
    }
}
