import Foundation
import TestSupport
import Testing

/// Traces and metrics of the real gateway, decoded by OpenTelemetry's own messages.
@Suite(
    .serialized, .timeLimit(.minutes(5)),
    .enabled(if: Interop.pythonWithOpenTelemetry != nil, "no Python with opentelemetry-proto"))
struct TelemetryEndToEndTests {
    /// One request to the collector.
    private struct Export: Decodable {
        struct Span: Decodable {
            struct Event: Decodable {
                let name: String
                let attributes: [String: Attribute]
            }

            let trace, span, parent, name: String
            let kind: Int
            let error: Bool
            let start, end: UInt64
            let attributes: [String: Attribute]
            let links: [String]
            let events: [Event]
        }

        struct Metric: Decodable {
            let name, kind: String
            let points: Int
        }

        let path, type: String
        let secret: String?
        let resource: [String: Attribute]
        /// True if a field is not as the protocol has it.
        let unknown: Bool
        let spans: [Span]?
        let metrics: [Metric]?
    }

    /// A text or a number, as text.
    private struct Attribute: Decodable, Equatable, ExpressibleByStringLiteral {
        let text: String

        init(stringLiteral text: String) { self.text = text }

        init(from decoder: any Decoder) throws {
            let value = try decoder.singleValueContainer()
            text = try (try? value.decode(String.self)) ?? String(value.decode(Int.self))
        }
    }

    private final class Collector {
        let process: BearwardProcess

        init(_ mode: String = "good") throws {
            let python = try #require(Interop.pythonWithOpenTelemetry)
            process = try BearwardProcess(program: python, [Interop.script("collector.py"), mode])
        }

        func port() async throws -> Int {
            #expect(await BearwardProcess.wait { process.standardOutput.contains("\n") })
            return try #require(process.standardOutput.split(separator: "\n").first.flatMap { Int($0) })
        }

        func exports() throws -> [Export] {
            try process.standardOutput.split(separator: "\n").dropFirst().map {
                try JSONDecoder().decode(Export.self, from: Data($0.utf8))
            }
        }

        var spans: [Export.Span] { (try? exports())?.flatMap { $0.spans ?? [] } ?? [] }
    }

    private static func lines(_ port: Int, _ rest: String) -> String {
        "telemetry:\n  otlp: {endpoint: \"http://127.0.0.1:\(port)\"}\n  \(rest)\n"
    }

    @Test func `every request has its spans at the collector, with the verdict and the trace of the log`() async throws
    {
        let collector = try Collector()
        let fixture = try await GatewayFixture.start(
            topLines: Self.lines(
                try await collector.port(),
                "traces: {sample: 100%}\n  metrics: {every: 1s}\n  service_name: shop-gateway"))
        let token = try fixture.token()
        for _ in 0..<2 { #expect(try await fixture.get("/api/orders?secret=1", token: token).status == 200) }
        #expect(try await fixture.get("/api/orders").status == 401)
        #expect(await BearwardProcess.wait { collector.spans.count >= 5 })
        #expect(await BearwardProcess.wait { ((try? collector.exports()) ?? []).contains { $0.metrics != nil } })
        let spans = collector.spans
        let servers = spans.filter { $0.kind == 2 }
        #expect(servers.map(\.name) == Array(repeating: "GET /api/orders/**", count: 3))
        #expect(servers.map { $0.attributes["http.response.status_code"] } == ["200", "200", "401"])
        #expect(servers[0].events.map(\.name) == ["authorize"])
        #expect(servers[0].events[0].attributes["bearward.issuer"] == "dev")
        #expect(servers[0].events[0].attributes["user.id"] == "user-1")
        #expect(servers[2].events[0].attributes["bearward.reason"] == "missing_credentials")
        let clients = spans.filter { $0.kind == 3 }
        #expect(Set(clients.map(\.parent)) == Set(servers.prefix(2).map(\.span)))
        #expect(clients.allSatisfy { $0.attributes["http.response.status_code"] == "200" && $0.start <= $0.end })
        let traces = fixture.gateway.standardOutput.matches(of: /"trace_id":"([0-9a-f]{32})"/).map { String($0.1) }
        #expect(traces == servers.map(\.trace))
        #expect(!collector.process.standardOutput.contains("secret=1"))
        #expect(!collector.process.standardOutput.contains(token))
        for export in try collector.exports() {
            #expect(!export.unknown && export.type == "application/x-protobuf")
            #expect(export.resource["service.name"] == "shop-gateway" && export.resource["service.version"] == "0.9.0")
        }
        // The same families as `/metrics`, and histograms as such.
        let metrics = try #require(try collector.exports().last { $0.metrics != nil }?.metrics)
        let text = try await fixture.get("/metrics", port: fixture.adminPort).body
        let kinds = ["counter": "sum", "gauge": "gauge", "histogram": "histogram"]
        for metric in metrics {
            let kind = text.firstMatch(
                of: try Regex("# TYPE \(metric.name) ([a-z]+)\n", as: (Substring, Substring).self))
            #expect(kind.flatMap { kinds[String($0.1)] } == metric.kind, "\(metric.name)")
            #expect(metric.points > 0)
        }
        #expect(metrics.contains { $0.name == "bearward_request_duration_seconds" })
        #expect(metrics.count > 20)
        await fixture.stop()
        collector.process.signal(SIGTERM)
    }

    @Test func `a reload begins and ends the export, and what waits at the end is sent`() async throws {
        let collector = try Collector()
        let fixture = try await GatewayFixture.start()
        let without = try String(contentsOf: fixture.file, encoding: .utf8)
        #expect(try await fixture.get("/api/status").status == 200)
        try (Self.lines(try await collector.port(), "traces: {sample: 100%}") + without).write(
            to: fixture.file, atomically: true, encoding: .utf8)
        fixture.gateway.signal(SIGHUP)
        #expect(await BearwardProcess.wait { fixture.gateway.count(of: "Reloaded") == 1 })
        #expect(try await fixture.get("/api/status").status == 200)
        #expect(await BearwardProcess.wait { collector.spans.count == 2 })
        #expect(try await fixture.get("/api/status").status == 200)
        await fixture.stop()
        #expect(await BearwardProcess.wait { collector.spans.count == 4 })
        collector.process.signal(SIGTERM)
    }

    @Test(arguments: ["gone", "slow", "garbage", "full", "lies"])
    func `no request waits for a collector that fails, and losses are counted`(mode: String) async throws {
        let collector = try Collector(mode)
        let fixture = try await GatewayFixture.start(
            topLines: Self.lines(
                try await collector.port(), "traces: {sample: 100%, most: 100000/s}\n  metrics: {every: 1s}"))
        let token = try fixture.token()
        for _ in 0..<300 { #expect(try await fixture.get("/api/orders", token: token).status == 200) }
        func lost() async -> Double {
            let text = (try? await fixture.get("/metrics", port: fixture.adminPort).body) ?? ""
            let samples = text.split(separator: "\n").filter {
                $0.hasPrefix("bearward_telemetry_spans_total{") && !$0.contains("\"sent\"")
                    || $0.hasPrefix("bearward_telemetry_exports_total{signal=\"metrics\",outcome=\"failed\"}")
            }
            return samples.compactMap { $0.split(separator: " ").last.flatMap { Double($0) } }.reduce(0, +)
        }
        let isCounted = await BearwardProcess.wait(atMost: .seconds(40)) { await lost() > 0 }
        #expect(isCounted)
        #expect(try await fixture.get("/api/orders", token: token).status == 200)
        let words = mode == "lies" ? "The collector rejects a part of the telemetry" : "Telemetry cannot be exported"
        // One line for each signal.
        let lines = fixture.gateway.lines(of: words)
        let endpoints = Set(lines.compactMap { $0.firstMatch(of: /"endpoint":"[^"]*\/v1\/(traces|metrics)"/)?.1 })
        #expect(!lines.isEmpty && endpoints.count == lines.count, "\(lines)")
        await fixture.stop()
        collector.process.signal(SIGTERM)
    }
}
