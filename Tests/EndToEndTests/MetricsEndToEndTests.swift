import DevelopmentIssuer
import Foundation
import NIOHTTP1
import TestSupport
import Testing

/// `/metrics` of the real gateway.
@Suite(.serialized) final class MetricsEndToEndTests {
    /// The value of one sample. Nil if there is none.
    private static func value(_ sample: String, in text: String) -> Double? {
        text.split(separator: "\n").first { $0.hasPrefix(sample + " ") }.flatMap {
            Double($0.dropFirst(sample.count + 1))
        }
    }

    @Test func `every decision is counted under configured names`() async throws {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        for _ in 0..<3 { #expect(try await fixture.get("/api/orders", token: token).status == 200) }
        #expect(try await fixture.get("/api/orders").status == 401)
        #expect(try await fixture.get("/api/nowhere", token: token).status == 403)
        #expect(try await fixture.get("/elsewhere").status == 404)
        let decisions = [
            (#"resource="https://shopping.your-app.com/api",rule="GET /orders/**",issuer="dev",reason="""#, 3.0),
            (
                #"resource="https://shopping.your-app.com/api",rule="GET /orders/**",issuer="",reason="missing_credentials""#,
                1
            ),
            (#"resource="https://shopping.your-app.com/api",rule="",issuer="",reason="no_rule""#, 1),
        ]
        var text = ""
        for (labels, count) in decisions {
            let sample = "bearward_decisions_total{\(labels)}"
            #expect(
                await BearwardProcess.wait {
                    text = (try? await fixture.get("/metrics", port: fixture.adminPort).body) ?? ""
                    return Self.value(sample, in: text) == count
                }, "\(sample) in \(text)")
        }
        #expect(Self.value("bearward_token_cache_hits_total", in: text) == (TestedTokenCache.isOn ? 2 : 0))
        let rule = #"resource="https://shopping.your-app.com/api",rule="GET /orders/**""#
        #expect(Self.value("bearward_request_duration_seconds_count{\(rule),status=\"2xx\"}", in: text) == 3)
        #expect(
            Self.value("bearward_request_duration_seconds_bucket{\(rule),status=\"4xx\",le=\"+Inf\"}", in: text) == 1)
        #expect(Self.value("bearward_response_bytes_total{\(rule),status=\"2xx\"}", in: text) ?? 0 > 300)
        let target = fixture.shop.url.replacing("http://", with: "")
        #expect(Self.value("bearward_upstream_requests_total{target=\"\(target)\",outcome=\"2xx\"}", in: text) == 3)
        #expect(Self.value("bearward_upstream_duration_seconds_count{target=\"\(target)\"}", in: text) == 3)
        #expect(Self.value("process_resident_memory_bytes", in: text) ?? 0 > 1_000_000)
        #expect(Self.value("bearward_ready", in: text) == 1)
        #expect(Self.value("bearward_requests_in_flight", in: text) == 0)
        #expect(Self.value(#"bearward_reloads_total{result="succeeded"}"#, in: text) == 0)
        #expect(text.contains(#"bearward_keys{issuer="dev",key_set="1",source=""#))
        #expect(
            text.firstMatch(of: /bearward_build_info\{version="0\.9\.0",commit="[0-9a-z+]+",libcrypto="OpenSSL/) != nil)
        await fixture.stop()
    }

    /// Names of the metric families, in the order of `/metrics`.
    private static let families = """
        bearward_decisions_total bearward_connections bearward_connections_accepted_total
        bearward_tls_handshakes_total bearward_proxy_headers_total bearward_door_answers_total
        bearward_requests_in_flight bearward_requests_waiting_for_keys bearward_held_body_bytes
        bearward_limit_hits_total bearward_event_loop_delays_total bearward_unexpected_events_total
        bearward_observed_rules bearward_observe_until_timestamp_seconds bearward_observed_refusals_total
        bearward_weakening_settings bearward_shadow_up
        bearward_shadow_reloads_total
        bearward_shadow_requests_total bearward_shadow_differences_total bearward_request_duration_seconds
        bearward_request_bytes_total bearward_response_bytes_total bearward_upstream_duration_seconds
        bearward_upstream_requests_total bearward_upstream_target_in bearward_upstream_requests_waiting
        bearward_certificate_not_after_timestamp_seconds bearward_keys bearward_key_set_usable
        bearward_key_set_age_seconds bearward_key_set_stale_for_seconds bearward_key_set_next_fetch_timestamp_seconds
        bearward_key_set_last_fetch_failed bearward_key_set_fetches_total bearward_key_set_fetch_failures_total
        bearward_introspection_requests_total bearward_introspection_requests_in_flight
        bearward_introspection_waiting bearward_introspection_turned_away_total bearward_introspection_breaker_open
        bearward_introspection_cache_entries bearward_introspection_cache_hits_total
        bearward_introspection_cache_misses_total bearward_ecdsa_tables bearward_ecdsa_table_bytes
        bearward_ecdsa_table_verifications_total bearward_ecdsa_table_repetitions_total bearward_ecdsa_tables_failed
        bearward_token_cache_entries bearward_token_cache_bytes
        bearward_token_cache_hits_total bearward_token_cache_misses_total bearward_token_cache_evictions_total
        bearward_quota_callers bearward_shared_state_up bearward_shared_state_questions_total
        bearward_deny_list_entries bearward_deny_list_age_seconds bearward_deny_list_shared_age_seconds
        bearward_deny_list_errors_total bearward_ready bearward_reloads_total
        bearward_configuration_generation bearward_configuration_info
        bearward_worker_restarts_total bearward_build_info bearward_access_log_dropped_lines_total
        bearward_log_dropped_lines_total bearward_telemetry_spans_total bearward_telemetry_exports_total
        process_cpu_seconds_total process_resident_memory_bytes
        process_virtual_memory_bytes process_open_fds process_start_time_seconds process_max_fds
        """

    @Test func `metric families appear once each, in a fixed order`() async throws {
        let fixture = try await GatewayFixture.start()
        let text = try await fixture.get("/metrics", port: fixture.adminPort).body
        let names = text.matches(of: /# HELP (\w+) .+\n# TYPE \1 (?:counter|gauge|histogram)\n/).map { $0.output.1 }
        #expect(names == Self.families.split(whereSeparator: \.isWhitespace))
        await fixture.stop()
    }

    @Test func `reloads, good and bad, are counted, and counters continue`() async throws {
        let fixture = try await GatewayFixture.start()
        let token = try fixture.token()
        #expect(try await fixture.get("/api/orders", token: token).status == 200)
        let text = GatewayFixture.text(
            issuer: fixture.issuer.issuer, upstream: fixture.shop.url, rules: "      GET /orders/**: shopping:read"
        ).replacing("token_type: at+jwt", with: "token_type: any")
        #expect(text.contains("token_type: any"))
        try text.write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "Reloaded") > 0 })
        let sum = try BearwardProcess(program: URL(filePath: "/usr/bin/sha256sum"), [fixture.file.path])
        #expect(await sum.exitStatus() == 0)
        let digest = sum.standardOutput.prefix(64)
        try "listen: [".write(to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { fixture.gateway.standardError.contains("Reload refused") })
        #expect(
            await BearwardProcess.wait {
                let text = (try? await fixture.get("/metrics", port: fixture.adminPort).body) ?? ""
                return Self.value(#"bearward_reloads_total{result="refused"}"#, in: text) == 1
                    && Self.value(#"bearward_reloads_total{result="succeeded"}"#, in: text) == 1
                    && Self.value("bearward_configuration_generation", in: text) == 2
                    && Self.value(
                        #"bearward_configuration_info{sha256="\#(digest)",generation="2"}"#, in: text) == 1
                    && Self.value(#"bearward_weakening_settings{key="token_type"}"#, in: text) == 1
                    && Self.value(#"bearward_weakening_settings{key="plain_http"}"#, in: text) == 0
                    && (Self.value("bearward_token_cache_misses_total", in: text) ?? 0)
                        >= (TestedTokenCache.isOn ? 1 : 0)
            })
        await fixture.stop()
    }

    @Test func `an untrusted client adds no label (T428), and no data listener path serves the metrics (T429)`()
        async throws
    {
        let fixture = try await GatewayFixture.start()
        let before = try await Self.labels(fixture)
        for number in 0..<200 {
            _ = try await fixture.get("/stranger-\(number)", token: "a.b.c")
            _ = try await fixture.get("/api/orders/\(number)", token: "stranger.\(number).x")
        }
        // Waits until all requests are counted.
        #expect(
            await BearwardProcess.wait {
                let text = (try? await fixture.get("/metrics", port: fixture.adminPort).body) ?? ""
                let samples = text.split(separator: "\n").filter { $0.hasPrefix("bearward_decisions_total{") }
                return samples.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +) >= 400
            })
        let after = try await Self.labels(fixture)
        // Two decisions, and one histogram with two counters for each of their rules.
        #expect(after.count <= before.count + 10, "\(after)")
        #expect(!after.joined().contains("stranger"))
        #expect(try await fixture.get("/metrics").status == 404)
        await fixture.stop()
    }

    @Test(.enabled(if: Interop.promtool != nil, "promtool is not installed"))
    func `promtool accepts the alerts`() async throws {
        let file = Interop.packageDirectory.appendingPathComponent("deploy/monitoring/alerts.yaml")
        let count = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count {
            $0.contains("- alert: ")
        }
        let promtool = try BearwardProcess(program: try #require(Interop.promtool), ["check", "rules", file.path])
        #expect(await promtool.exitStatus() == 0, "\(promtool.standardError)")
        #expect(count > 0 && promtool.standardOutput.contains("\(count) rules found"), "\(promtool.standardOutput)")
    }

    @Test(.enabled(if: Interop.promtool != nil, "promtool is not installed"))
    func `each alert fires in its state, and not in another`() async throws {
        let file = Interop.packageDirectory.appendingPathComponent("deploy/monitoring/alerts.test.yaml")
        let promtool = try BearwardProcess(program: try #require(Interop.promtool), ["test", "rules", file.path])
        #expect(
            await promtool.exitStatus(within: .seconds(240)) == 0, "\(promtool.standardOutput)\(promtool.standardError)"
        )
    }

    /// True if the alert on failing answers fires for a process with 100 answers a minute, this many of them 5xx.
    private static func answersFail(_ failures: Int, notAsked: Int? = nil, maintenance: Int? = nil) async throws -> Bool
    {
        func series(_ name: String, _ increment: Int) -> [String: String] {
            ["series": name, "values": "0+\(increment)x20"]
        }
        var input = [
            series(#"bearward_request_duration_seconds_count{status="2xx"}"#, 100 - failures),
            series(#"bearward_request_duration_seconds_count{status="5xx"}"#, failures),
        ]
        if let notAsked { input.append(series(#"bearward_decisions_total{reason="key_not_asked"}"#, notAsked)) }
        if let maintenance {
            input.append(series(#"bearward_decisions_total{reason="maintenance"}"#, maintenance))
        }
        let rules = Interop.packageDirectory.appendingPathComponent("deploy/monitoring/alerts.yaml").path
        let quiet: [String: Any] = ["eval_time": "20m", "alertname": "BearwardAnswersFail", "exp_alerts": [String]()]
        let test: [String: Any] = ["interval": "1m", "input_series": input, "alert_rule_test": [quiet]]
        let tests: [String: Any] = ["rule_files": [rules], "evaluation_interval": "1m", "tests": [test]]
        let file = FileManager.default.temporaryDirectory.appending(path: "alerts-\(UUID().uuidString).yaml")
        defer { try? FileManager.default.removeItem(at: file) }
        try JSONSerialization.data(withJSONObject: tests, options: .withoutEscapingSlashes).write(to: file)
        let promtool = try BearwardProcess(program: try #require(Interop.promtool), ["test", "rules", file.path])
        return await promtool.exitStatus() != 0
    }

    @Test(.enabled(if: Interop.promtool != nil, "promtool is not installed"))
    func `refusals for unasked key IDs and for maintenance do not count as failed answers in the alerts (T504)`()
        async throws
    {
        #expect(try await Self.answersFail(10))
        #expect(try await !Self.answersFail(10, maintenance: 10))
        #expect(try await !Self.answersFail(10, notAsked: 3, maintenance: 3))
        #expect(try await Self.answersFail(10, notAsked: 2))
        #expect(try await !Self.answersFail(10, notAsked: 6))
        #expect(try await !Self.answersFail(4))
    }

    @Test(.enabled(if: Interop.promtool != nil, "promtool is not installed"))
    func `promtool accepts the expressions of the dashboard`() async throws {
        struct Dashboard: Decodable {
            struct Target: Decodable { let expr: String }
            struct Panel: Decodable { let targets: [Target]? }
            let panels: [Panel]
        }
        let dashboard = Interop.packageDirectory.appendingPathComponent("deploy/monitoring/grafana-dashboard.json")
        let panels = try JSONDecoder().decode(Dashboard.self, from: Data(contentsOf: dashboard)).panels
        let rules = panels.flatMap { $0.targets ?? [] }.enumerated().map { index, target in
            // Values that Grafana inserts.
            let expression = target.expr.replacing("$__rate_interval", with: "5m").replacing("$instance", with: ".*")
            return ["record": "panel:\(index)", "expr": expression]
        }
        // JSON is also valid YAML.
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let file = folder.url.appending(path: "panels.yaml")
        let groups = ["groups": [["name": "panels", "rules": rules]]]
        try JSONSerialization.data(withJSONObject: groups, options: .withoutEscapingSlashes).write(to: file)
        let promtool = try BearwardProcess(program: try #require(Interop.promtool), ["check", "rules", file.path])
        #expect(await promtool.exitStatus() == 0, "\(promtool.standardError)")
        #expect(
            !rules.isEmpty && promtool.standardOutput.contains("\(rules.count) rules found"),
            "\(promtool.standardOutput)")
    }

    @Test(.enabled(if: Interop.promtool != nil, "promtool is not installed"))
    func `promtool accepts the metrics`() async throws {
        let fixture = try await GatewayFixture.start()
        #expect(try await fixture.get("/api/orders", token: try fixture.token()).status == 200)
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        var text = ""
        #expect(
            await BearwardProcess.wait {
                text = (try? await fixture.get("/metrics", port: fixture.adminPort).body) ?? ""
                return text.contains("bearward_upstream_duration_seconds_count{")
            })
        let file = try folder.write(text, to: "metrics.txt")
        let promtool = try #require(Interop.promtool)
        let check = try BearwardProcess(
            program: URL(filePath: "/bin/sh"), ["-c", "'\(promtool.path)' check metrics < '\(file.path)'"])
        #expect(await check.exitStatus() == 0, "\(check.standardError)")
        await fixture.stop()
    }

    private static func labels(_ fixture: GatewayFixture) async throws -> [String] {
        let answer = try await fixture.get("/metrics", port: fixture.adminPort)
        #expect(answer.status == 200)
        #expect(answer.fields.first(name: "Content-Type") == "text/plain; version=0.0.4; charset=utf-8")
        return answer.body.split(separator: "\n").filter { !$0.hasPrefix("#") && !$0.contains("_bucket{") }.map {
            String($0[..<($0.lastIndex(of: " ") ?? $0.endIndex)])
        }
    }
}
