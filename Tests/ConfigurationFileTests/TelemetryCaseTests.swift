import ConfigurationFile
import Telemetry
import TestSupport
import Testing

struct TelemetryCaseTests {
    @Test(arguments: try ProblemCase.all("telemetry"))
    func `a mistake in the settings of telemetry is reported with its location`(_ example: ProblemCase) {
        #expect(Self.load(example).problems.map { $0.rendered(file: "FILE") } == example.problems)
    }

    @Test func `the settings of telemetry are read as written`() throws {
        let example = try #require(try ProblemCase.all("telemetry").first)
        guard case .success(let configuration, _) = Self.load(example) else { throw NotLoaded() }
        let telemetry = try #require(configuration.telemetry)
        #expect(telemetry.collector.url(of: .traces) == "https://otel.example.com:4318/base/v1/traces")
        #expect(telemetry.collector.url(of: .metrics) == "https://otel.example.com:4318/base/v1/metrics")
        #expect(telemetry.serviceName == "shop" && telemetry.metricsInterval == .seconds(60))
        #expect(telemetry.traces?.sample == .percent(0.5) && telemetry.traces?.refused == .percent(10))
        #expect(telemetry.traces?.most == 50 && telemetry.traces?.trustedParents.count == 1)
    }

    private static func load(_ example: ProblemCase) -> LoadResult<Configuration> {
        Configuration.load(text: example.text, directory: ProblemCase.directory, environment: [:])
    }

    private struct NotLoaded: Error {}
}
