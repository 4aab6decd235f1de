import Foundation
import KeySetFetching
import Logging
import MetricFamilies
import NetworkNames
import SwiftProtobuf
import Synchronization
import Telemetry
import TestSupport
import Testing

@testable import TelemetryExport

@Suite(.serialized, .timeLimit(.minutes(3)))
struct TelemetryExporterTests {
    private let log = LoggedLines()

    private func exporter() -> TelemetryExporter {
        TelemetryExporter(
            TelemetryResource(version: "1.2.3", startedAt: 5), proxies: .none, clock: { 7 }, logger: log.logger)
    }

    private func settings(_ url: String) throws -> TelemetrySettings {
        var settings = TelemetrySettings(collector: CollectorSettings(endpoint: try #require(HTTPURL(url))))
        settings.traces = TracingSettings()
        return settings
    }

    private func settings(of stub: CollectorStub) throws -> TelemetrySettings {
        try settings("http://127.0.0.1:\(stub.port)")
    }

    /// Adds spans to the exporter's queue.
    private func add(_ count: Int, to exporter: TelemetryExporter) {
        var batch = SpanBatch()
        for number in 0..<count {
            let context = TraceContext(TraceID(1, 2), SpanID(UInt64(number + 1)), isSampled: true)
            batch.endSpan(batch.beginSpan(context, under: nil, .server, from: 1, to: 2), isError: false)
        }
        let (bytes, count) = batch.take()
        exporter.spans.add(bytes, count: count)
    }

    /// Number of spans by outcome.
    private func spans(_ exporter: TelemetryExporter) -> [String: Int] {
        let samples = exporter.families.first { "\($0.name)" == "bearward_telemetry_spans_total" }?.samples ?? []
        return Dictionary(uniqueKeysWithValues: samples.map { ($0.labels[0].value, Int($0.value)) })
    }

    private func eventually(_ seconds: Int = 30, _ holds: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while !holds() {
            try #require(.now < end, "it did not happen in \(seconds) s")
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    @Test func `spans arrive with resource, scope and the configured fields`() async throws {
        let stub = try await CollectorStub.start([.accepted])
        let folder = try TemporaryFolder()
        let file = folder.url.appendingPathComponent("headers")
        try "Authorization: Bearer t\nx-scope: a".write(to: file, atomically: true, encoding: .utf8)
        var settings = try settings("http://127.0.0.1:\(stub.port)/base/")
        settings.collector.headersFile = file.path
        settings.serviceName = "shop"
        let exporter = exporter()
        await exporter.take(settings)
        add(3, to: exporter)
        add(4, to: exporter)
        try await eventually { spans(exporter)["sent"] == 7 }
        await exporter.end()
        await stub.stop()
        #expect(stub.requests.count == 1)
        let request = try #require(stub.requests.first)
        #expect(request.path == "/base/v1/traces")
        #expect(request.fields["content-type"] == "application/x-protobuf")
        #expect(request.fields["authorization"] == "Bearer t" && request.fields["x-scope"] == "a")
        let message = try OTLPTraceRequest(serializedBytes: request.body)
        let attributes = Dictionary(
            uniqueKeysWithValues: message.resourceSpans[0].resource.attributes.map { ($0.key, $0.value.text) })
        #expect(attributes["service.name"] == "shop" && attributes["service.version"] == "1.2.3")
        #expect(attributes["service.instance.id"]?.count == 32)
        let scope = [UInt8](message.resourceSpans[0].scopeSpans[0])
        #expect(try #require(DecodedSpan.all(in: scope)).count == 7)
        #expect(try OTLPScope(serializedBytes: scope).scope.name == "bearward")
        #expect(log.lines.isEmpty)
    }

    @Test func `an answer that asks to try again is followed by the same spans`() async throws {
        let stub = try await CollectorStub.start([
            .status(503, [:]), .status(429, ["retry-after": "2"]), .accepted,
        ])
        let exporter = exporter()
        await exporter.take(try settings(of: stub))
        add(2, to: exporter)
        let start = ContinuousClock.now
        try await eventually { spans(exporter)["sent"] == 2 }
        #expect(ContinuousClock.now - start > .seconds(3))
        #expect(Set(stub.requests.map(\.body)).count == 1 && stub.requests.count == 3)
        #expect(log.lines == ["Telemetry cannot be exported: it answers 503", "Telemetry is exported again"])
        await exporter.end()
        await stub.stop()
    }

    @Test(arguments: [
        (CollectorStub.Answer.garbage, "it answers 200, but not as a collector does: is this its address?"),
        (.status(400, [:]), "it answers 400"),
        (.status(301, ["location": "http://127.0.0.1:1/"]), "it answers 301, and redirects are not followed"),
        (.long(64 * 1024 + 1), "its answer is longer than 65536 bytes"),
    ])
    func `any other answer loses these spans alone, and is logged once`(answer: CollectorStub.Answer, cause: String)
        async throws
    {
        let stub = try await CollectorStub.start([answer, answer, .accepted])
        let exporter = exporter()
        await exporter.take(try settings(of: stub))
        for lost in [2, 4] {
            add(2, to: exporter)
            try await eventually { spans(exporter)["failed"] == lost }
        }
        add(3, to: exporter)
        try await eventually { spans(exporter)["sent"] == 3 }
        #expect(stub.requests.count == 3)
        #expect(log.lines == ["Telemetry cannot be exported: \(cause)", "Telemetry is exported again"])
        await exporter.end()
        await stub.stop()
    }

    @Test func `spans that the collector rejects are counted, and its words are logged`() async throws {
        let partial = OTLPExportResponse.with {
            $0.partialSuccess = .with {
                $0.rejected = 2
                $0.errorMessage = "too old"
            }
        }
        let stub = try await CollectorStub.start([.message(try partial.serializedBytes())])
        let exporter = exporter()
        await exporter.take(try settings(of: stub))
        add(3, to: exporter)
        try await eventually { spans(exporter)["rejected"] == 2 }
        #expect(spans(exporter)["sent"] == 1)
        #expect(log.lines == ["The collector rejects a part of the telemetry: too old"])
        await exporter.end()
        await stub.stop()
    }

    @Test(arguments: [CollectorStub.Answer.silence, .begun])
    func `a collector that does not answer holds up nothing: the queue stays bounded, and losses are counted`(
        answer: CollectorStub.Answer
    ) async throws {
        let stub = try await CollectorStub.start([answer])
        let exporter = exporter()
        await exporter.take(try settings(of: stub))
        let many = [UInt8](repeating: 0, count: 32 * 1024)
        let start = ContinuousClock.now
        for _ in 0..<1000 { exporter.spans.add(many, count: 10) }
        #expect(ContinuousClock.now - start < .seconds(1))
        try await eventually { spans(exporter)["dropped"] ?? 0 >= 10 * (1000 - 256 - 64) }
        #expect(exporter.spans.take(atMost: .max).reduce(0) { $0 + $1.bytes.count } <= SpanQueue.longest)
        // Its end does not wait for the answer.
        let end = ContinuousClock.now
        await exporter.end()
        #expect(ContinuousClock.now - end < .seconds(5))
        await stub.stop()
    }

    @Test func `a collector that is away is tried again, and one that comes gets what waits`() async throws {
        let first = try await CollectorStub.start([.accepted])
        let port = first.port
        await first.stop()
        let exporter = exporter()
        await exporter.take(try settings("http://127.0.0.1:\(port)"))
        add(2, to: exporter)
        try await eventually { !log.lines.isEmpty }
        let second = try await CollectorStub.start([.accepted], port: port)
        try await eventually { spans(exporter)["sent"] == 2 }
        #expect(spans(exporter)["failed"] == 0)
        await exporter.end()
        await second.stop()
    }

    @Test func `what waits at the end is sent`() async throws {
        let stub = try await CollectorStub.start([.accepted])
        let exporter = exporter()
        await exporter.take(try settings(of: stub))
        add(5, to: exporter)
        await exporter.end()
        #expect(spans(exporter)["sent"] == 5)
        await stub.stop()
    }

    @Test func `a file that is missing is named, and its spans are lost`() async throws {
        let exporter = exporter()
        var settings = try settings("https://127.0.0.1:1")
        settings.collector.caFile = "/nowhere/ca.pem"
        await exporter.take(settings)
        add(2, to: exporter)
        try await eventually { spans(exporter)["failed"] == 2 }
        #expect(log.lines.count == 1 && log.lines[0].contains("/nowhere/ca.pem"))
        await exporter.end()
    }

    @Test func `a collector that takes one signal alone is logged once, not in turns`() async throws {
        let stub = try await CollectorStub.start([.accepted], refusing: "/v1/metrics")
        let exporter = exporter()
        await exporter.exportMetrics { [.counter("a_total", "Help.", 4)] }
        var settings = try settings(of: stub)
        settings.metricsInterval = .milliseconds(50)
        await exporter.take(settings)
        for sent in 1...3 {
            add(1, to: exporter)
            let refused = stub.requests.count { $0.path == "/v1/metrics" }
            try await eventually {
                spans(exporter)["sent"] == sent && stub.requests.count { $0.path == "/v1/metrics" } > refused
            }
        }
        await exporter.end()
        #expect(log.lines == ["Telemetry cannot be exported: it answers 404"])
        await stub.stop()
    }

    @Test func `metrics are exported again and again, and end with a reload`() async throws {
        let stub = try await CollectorStub.start([.accepted])
        let exporter = exporter()
        await exporter.exportMetrics { [.counter("a_total", "Help.", 4)] }
        var settings = try settings(of: stub)
        (settings.traces, settings.metricsInterval) = (nil, .milliseconds(50))
        await exporter.take(settings)
        try await eventually { stub.requests.count >= 3 }
        // Without traces, spans are not kept.
        add(2, to: exporter)
        #expect(exporter.spans.take(atMost: .max).isEmpty)
        await exporter.take(nil)
        let count = stub.requests.count
        try await Task.sleep(for: .milliseconds(300))
        #expect(stub.requests.count == count)
        #expect(stub.requests.allSatisfy { $0.path == "/v1/metrics" })
        let metric = try OTLPMetricsRequest(serializedBytes: try #require(stub.requests.first).body)
            .resourceMetrics[0].scopeMetrics[0].metrics[0]
        #expect(metric.name == "a_total" && metric.description_p == "Help." && metric.sum.isMonotonic)
        await stub.stop()
    }
}

/// Lines of a log: the message, and the cause if there is one.
final class LoggedLines: Sendable {
    private let texts = Mutex<[String]>([])

    var lines: [String] { texts.withLock { $0 } }

    var logger: Logger {
        Logger(label: "test") { [self] _ in Handler(lines: self) }
    }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata = Logger.Metadata()
        var logLevel = Logger.Level.trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let cause = event.metadata?["cause"].map { ": \($0)" } ?? ""
            lines.texts.withLock { $0.append("\(event.message)\(cause)") }
        }
    }
}
