import MetricFamilies
import SwiftProtobuf
import Testing

@testable import TelemetryExport

struct MetricsRequestTests {
    private func metrics(_ families: [MetricFamily]) throws -> [OTLPMetric] {
        let resource = TelemetryResource(version: "1", startedAt: 5)
        let request = OTLPMetricsRequest(families, of: "bearward", resource, at: 7)
        // Through bytes and back.
        let message = try OTLPMetricsRequest(serializedBytes: try request.serializedBytes() as [UInt8])
        return message.resourceMetrics[0].scopeMetrics[0].metrics
    }

    @Test func `a counter is a cumulative sum with its labels, from the start of the process`() throws {
        let family = MetricFamily.counter("a_total", "Help.", .by("outcome", ["x": 1, "y": 2]))
        let metric = try #require(try metrics([family]).first)
        #expect(metric.sum.isMonotonic && metric.sum.temporality == .cumulative)
        #expect(metric.sum.points.map(\.whole) == [1, 2])
        #expect(metric.sum.points.map { $0.attributes[0].value.text } == ["x", "y"])
        #expect(metric.sum.points.allSatisfy { $0.startNanoseconds == 5 && $0.nanoseconds == 7 })
    }

    @Test func `a gauge has fractions, and a family without samples is left out`() throws {
        let made = try metrics([.gauge("g", "Help.", 0.5), .gauge("none", "Help.", Optional<Int>.none)])
        #expect(made.map(\.name) == ["g"])
        #expect(made[0].gauge.points.map(\.fraction) == [0.5])
    }

    @Test func `the buckets of a histogram are those of the family, not added up`() throws {
        let samples =
            [MetricFamily.Sample].histogram(bounds: [0.5, 1], counts: [1, 0, 4], sum: 9.5, [("rule", "a")])
            + [MetricFamily.Sample].histogram(bounds: [0.5, 1], counts: [0, 0, 0], sum: 0, [("rule", "b")])
        let points = try #require(try metrics([.histogram("h", "Help.", samples)]).first).histogram.points
        #expect(points.map(\.bucketCounts) == [[1, 0, 4], [0, 0, 0]])
        #expect(points.map(\.explicitBounds) == [[0.5, 1], [0.5, 1]])
        #expect(points.map(\.count) == [5, 0])
        #expect(points.map(\.sum) == [9.5, 0])
        #expect(points.map { $0.attributes.map { "\($0.key)=\($0.value.text)" } } == [["rule=a"], ["rule=b"]])
    }
}
