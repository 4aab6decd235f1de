import AsyncHTTPClient
import Foundation
import JOSESigning
import NIOCore
import NIOHTTP1
import TestSupport
import Testing

/// `deploy/monitoring/grafana-dashboard.json`, with a real Prometheus that scrapes a gateway in which everything has
/// happened once.
@Suite(.serialized, .timeLimit(.minutes(3)))
struct DashboardDataTests {
    private struct Dashboard: Decodable {
        struct Panel: Decodable {
            struct Target: Decodable { let expr: String }

            let title: String
            let targets: [Target]?
        }

        let panels: [Panel]
    }

    private struct QueryAnswer: Decodable {
        struct Data: Decodable {
            struct Series: Decodable {}

            let result: [Series]
        }

        let status: String
        let data: Data?
    }

    private static let needs: ConditionTrait = .enabled(
        if: Interop.prometheus != nil && RedisProgram.isThere, "no Prometheus or no Redis")

    private static func token(_ change: (TestToken) -> TestToken = { $0 }) -> String {
        let now = Int(Date.now.timeIntervalSince1970)
        return change(TestToken.good.with("iat", "\(now)").with("exp", "\(now + 600)")).signed(by: TestKeys.ec)
    }

    private static func queries() throws -> [(panel: String, expression: String)] {
        let file = Interop.packageDirectory.appendingPathComponent("deploy/monitoring/grafana-dashboard.json")
        let dashboard = try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: file))
        return dashboard.panels.flatMap { panel in
            (panel.targets ?? []).map { target in
                let expression = target.expr.replacing("$instance", with: ".*").replacing(
                    "$__rate_interval", with: "30s")
                return (panel.title, expression)
            }
        }
    }

    @Test(needs) func `every panel has data`() async throws {
        let authority = try CertificateAuthority()
        let identity = try authority.issue("edge")
        let folder = try TemporaryFolder()
        let (door, redisPort, away) = (try FreePort.find(), try FreePort.find(), try FreePort.find())
        let redis = try RedisProgram(port: redisPort)
        let upstream = try await LoopbackServer.upstream()
        let introspector = try await LoopbackServer.start { _ in
            LoopbackReply(
                body: ByteBuffer(
                    string: #"{"active":true,"client_id":"app","sub":"u","scope":"read","token_type":"Bearer"}"#))
        }
        let secret = try folder.write("0123456789abcdef0123456789abcdef\n", to: "secret")
        let keys = try folder.write(SigningKey.jwkSetJSON([TestKeys.ec]), to: "keys.json")
        let denied = try folder.write(
            #"{"issuer":"iss","jti":"denied","expires":"2100-01-01T00:00:00Z"}"# + "\n", to: "deny.jsonl")
        let introspect =
            "client_id: gateway, client_secret_file: \"\(secret.path)\", endpoint: \"\(introspector.url)/introspect\", clients: [app]"
        func text(_ rule: String) -> String {
            """
            listen:
              - 127.0.0.1:0
              - {address: "127.0.0.1:0", tls: {certificate: "\(identity.certificate.path)", key: "\(identity.key.path)"}}
            admin: {address: "127.0.0.1:0", token_file: "\(secret.path)"}
            doors: [{kind: nginx, address: "127.0.0.1:\(door)", from: [127.0.0.1/32]}]
            event_loops: 1
            access_log: none
            timeouts: {drain: 1s}
            state_directory: "\(folder.path("state"))"
            deny_file: "\(denied.path)"
            shared_state: {url: "redis://127.0.0.1:\(redisPort)/0", secret_file: "\(secret.path)"}
            telemetry: {otlp: {endpoint: "http://127.0.0.1:\(away)"}, traces: {sample: 100%}, metrics: {every: 1s}}
            quotas: {few: {requests: 1, per: 1h}}
            issuers:
              iss:
                issuer: "https://iss.example"
                jwks_file: "\(keys.path)"
                algorithms: [ES256]
                token_type: at+jwt
                opaque: {introspect: {\(introspect)}}
              away: {issuer: "http://127.0.0.1:\(away)", jwks_uri: "http://127.0.0.1:\(away)/keys", token_type: at+jwt}
            resources:
              api:
                at: [/api]
                issuers: [iss, away]
                audiences: api
                upstream: "\(upstream.url)"
                rules:
                  GET /few: {all_of: [read], quotas: [few]}
                  GET /observed: {all_of: [read], mode: {observe: {until: 2099-01-01}}}
                  GET /**: \(rule)
              broken: {at: [/broken], issuers: [], upstream: "http://127.0.0.1:\(away)", rules: {GET /**: {public: true}}}

            """
        }
        try FileManager.default.createDirectory(atPath: folder.path("state"), withIntermediateDirectories: true)
        let file = try folder.write(text("read"), to: "now.yaml")
        let next = try folder.write(text("write"), to: "next.yaml")
        let gateway = try BearwardProcess(["serve", "--config", file.path, "--shadow", next.path])
        guard
            await BearwardProcess.wait(until: {
                gateway.count(of: "Admin listener ready") > 0 || !gateway.process.isRunning
            }),
            let port = gateway.port(of: "Listening"), let adminPort = gateway.port(of: "Admin listener ready")
        else { throw FixtureFailure.notReady(gateway.standardError) }
        let prometheus = try await Self.prometheus(scraping: adminPort, in: folder)
        for _ in 0..<3 {
            for (path, token) in [
                ("/api/a", Self.token()), ("/api/a", nil), ("/api/few", Self.token()), ("/api/observed", nil),
                ("/api/a", Self.token { $0.with("jti", "\"denied\"") }), ("/api/a", "opaque"), ("/broken/a", nil),
            ] {
                _ = try await Self.get("http://127.0.0.1:\(port)\(path)", token)
            }
            _ = try? await Self.get("http://127.0.0.1:\(door)/auth", nil)
        }
        var missing: [String] = []
        for (panel, expression) in try Self.queries() {
            var answer: QueryAnswer?
            let hasData = try await BearwardProcess.wait(atMost: .seconds(15)) {
                answer = try await Self.query(expression, prometheus.port)
                return answer?.data?.result.isEmpty == false
            }
            #expect(answer?.status == "success", "\(panel): \(expression)")
            if !hasData { missing.append("\(panel): \(expression)") }
        }
        #expect(missing.isEmpty, "\(missing.joined(separator: "\n"))\n\(gateway.standardError)")
        gateway.signal(SIGTERM)
        _ = await gateway.exitStatus()
        prometheus.process.signal(SIGTERM)
        redis.kill()
    }

    private static func prometheus(scraping port: Int, in folder: TemporaryFolder) async throws -> (
        process: BearwardProcess, port: Int
    ) {
        let listening = try FreePort.find()
        let configuration = try folder.write(
            """
            global: {scrape_interval: 1s}
            scrape_configs: [{job_name: bearward, static_configs: [{targets: ["127.0.0.1:\(port)"]}]}]

            """, to: "prometheus.yaml")
        let process = try BearwardProcess(
            program: try #require(Interop.prometheus),
            [
                "--config.file=\(configuration.path)", "--storage.tsdb.path=\(folder.path("data"))",
                "--web.listen-address=127.0.0.1:\(listening)",
            ])
        let isScraping = await BearwardProcess.wait {
            (try? await query("up{job=\"bearward\"} == 1", listening))?.data?.result.isEmpty == false
        }
        #expect(isScraping, "\(process.standardError)")
        return (process, listening)
    }

    private static func query(_ expression: String, _ port: Int) async throws -> QueryAnswer {
        var allowed = CharacterSet.alphanumerics
        allowed.insert(charactersIn: "-._~")
        let encoded = try #require(expression.addingPercentEncoding(withAllowedCharacters: allowed))
        let body = try await get("http://127.0.0.1:\(port)/api/v1/query?query=\(encoded)", nil)
        return try JSONDecoder().decode(QueryAnswer.self, from: Data(body.utf8))
    }

    private static func get(_ url: String, _ token: String?) async throws -> String {
        var request = HTTPClientRequest(url: url)
        if let token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(20))
        return String(buffer: try await answer.body.collect(upTo: 1 << 22))
    }
}
