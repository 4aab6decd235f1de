import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// `bearward serve --shadow`: a second file beside the first, in the real command.
@Suite(.serialized) struct ShadowEndToEndTests {
    /// The two files of a gateway, and requests to it.
    private final class Stand: Sendable {
        private let folder: TemporaryFolder
        let (port, adminPort): (Int, Int)

        init() throws {
            folder = try TemporaryFolder()
            (port, adminPort) = (try FreePort.find(), try FreePort.find())
            try folder.write(SigningKey.jwkSetJSON([TestKeys.ec]), to: "keys.json")
        }

        func path(_ name: String) -> String { folder.path(name) }

        func put(_ name: String, rule: String, mode: String = "") throws {
            let text = """
                listen: 127.0.0.1:\(port)
                admin: 127.0.0.1:\(adminPort)
                event_loops: 1
                access_log: "\(path("access.log"))"
                timeouts: {drain: 1s}
                issuers:
                  main: {issuer: "https://id.example", token_type: at+jwt, jwks_file: "\(path("keys.json"))"}
                resources:
                  orders:
                    at: [/]
                    issuers: [main]
                    upstream: http://127.0.0.1:9
                    \(mode)
                    rules: {GET /a: \(rule), GET /b: authenticated}

                """
            try text.write(toFile: path(name), atomically: true, encoding: .utf8)
        }

        func start() throws -> BearwardProcess {
            try BearwardProcess(["serve", "--config", path("now.yaml"), "--shadow", path("next.yaml")])
        }

        func get(_ path: String, at port: Int? = nil) async throws -> (status: Int, body: String) {
            let request = HTTPClientRequest(url: "http://127.0.0.1:\(port ?? self.port)\(path)")
            let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
            return (Int(answer.status.code), String(buffer: try await answer.body.collect(upTo: 1 << 20)))
        }

        /// The last access log line, once there are this many.
        func lastLine(_ count: Int) async throws -> String {
            var lines: [Substring] = []
            _ = await BearwardProcess.wait {
                lines = ((try? String(contentsOfFile: path("access.log"), encoding: .utf8)) ?? "").split(
                    separator: "\n")
                return lines.count >= count
            }
            #expect(lines.count == count)
            return String(lines.last ?? "")
        }

        func sample(_ line: String) async throws -> Bool {
            try await get("/metrics", at: adminPort).body.split(separator: "\n").contains { $0 == line }
        }
    }

    @Test func `SIGHUP reloads both files independently, and a broken shadow leaves the last one in place`()
        async throws
    {
        let stand = try Stand()
        try stand.put("now.yaml", rule: "authenticated")
        try stand.put("next.yaml", rule: "{public: true}")
        let gateway = try stand.start()
        defer { gateway.process.terminate() }
        #expect(await BearwardProcess.wait { gateway.count(of: "Shadow in place") == 1 })
        #expect(try await stand.get("/a").status == 401)
        #expect(try await stand.lastLine(1).contains(#""would":{"status":200,"reason":null,"by":"shadow"}"#))
        // The other rule is the same in both files.
        #expect(try await stand.get("/b").status == 401)
        #expect(try await !stand.lastLine(2).contains("would"))
        let difference =
            #"bearward_shadow_differences_total{resource="orders",rule="GET /a",reason="missing_credentials",would=""} 1"#
        #expect(await BearwardProcess.wait { (try? await stand.sample(difference)) ?? false })
        #expect(try await stand.sample(#"bearward_shadow_requests_total{verdict="same"} 1"#))
        #expect(try await stand.get("/readyz", at: stand.adminPort).status == 200)

        // With a broken shadow, the running configuration is still reloaded.
        try "listen: [".write(toFile: stand.path("next.yaml"), atomically: true, encoding: .utf8)
        try stand.put("now.yaml", rule: "orders:read")
        gateway.signal(SIGHUP)
        #expect(
            await BearwardProcess.wait {
                gateway.count(of: "Shadow file refused; the last good one stays, if there is one") == 1
            })
        #expect(gateway.count(of: "Reloaded") == 1)
        #expect(try await stand.get("/a").status == 401)
        #expect(try await stand.lastLine(3).contains(#""would":{"status":200"#))
        let status = try await stand.get("/api/configuration", at: stand.adminPort).body
        #expect(status.hasPrefix(#"{"generation":2,"loaded_at":""#))
        #expect(status.contains(#""last_error":null,"shadow":{"generation":1,"#))
        #expect(status.contains("next.yaml"))
        #expect(try await stand.sample(#"bearward_shadow_reloads_total{result="refused"} 1"#))

        // With a broken configuration, the shadow is still reloaded.
        try stand.put("next.yaml", rule: "orders:read")
        try "listen: [".write(toFile: stand.path("now.yaml"), atomically: true, encoding: .utf8)
        gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { gateway.count(of: "Shadow in place") == 2 })
        #expect(gateway.count(of: "Reload refused; the running configuration stays") == 1)
        #expect(try await stand.get("/a").status == 401)
        #expect(try await !stand.lastLine(4).contains("would"))
        #expect(try await stand.get("/api/configuration", at: stand.adminPort).body.contains("now.yaml"))
    }

    @Test func `a broken shadow at the start exits with 78`() async throws {
        let stand = try Stand()
        try stand.put("now.yaml", rule: "authenticated")
        try stand.put("next.yaml", rule: "{publik: true}")
        let gateway = try stand.start()
        #expect(await gateway.exitStatus() == 78)
        #expect(gateway.standardError.contains("next.yaml:"))
        #expect(gateway.standardError.contains("unknown key; did you mean `public`?"))
    }

    @Test func `a worker that takes over has the shadow too`() async throws {
        let stand = try Stand()
        try stand.put("now.yaml", rule: "authenticated")
        try stand.put("next.yaml", rule: "{public: true}")
        let gateway = try stand.start()
        defer { gateway.process.terminate() }
        #expect(await BearwardProcess.wait { gateway.count(of: "Shadow in place") == 1 })
        gateway.signal(SIGUSR2)
        #expect(await BearwardProcess.wait { gateway.count(of: "A worker took over") == 1 })
        #expect(await BearwardProcess.wait { gateway.count(of: "Shadow in place") == 2 })
        #expect(try await stand.get("/a").status == 401)
        #expect(try await stand.lastLine(1).contains(#""by":"shadow"}"#))
    }

    @Test func `an observed rule lets its requests through, and the log and the metrics report the refusal`()
        async throws
    {
        let stand = try Stand()
        try stand.put("now.yaml", rule: "authenticated", mode: "mode: {observe: {until: 2999-12-24}}")
        try stand.put("next.yaml", rule: "authenticated")
        let gateway = try stand.start()
        defer { gateway.process.terminate() }
        #expect(await BearwardProcess.wait { gateway.count(of: "Shadow in place") == 1 })
        // Nothing listens at the upstream.
        #expect(try await stand.get("/a").status == 502)
        #expect(
            try await stand.lastLine(1).contains(
                #""reason":"upstream_unreachable","would":{"status":401,"reason":"missing_credentials","by":"observe"}"#
            ))
        #expect(try await stand.sample("bearward_observed_rules 2"))
        let refusal =
            #"bearward_observed_refusals_total{resource="orders",rule="GET /a",issuer="",reason="missing_credentials"} 1"#
        #expect(await BearwardProcess.wait { (try? await stand.sample(refusal)) ?? false })
    }
}
