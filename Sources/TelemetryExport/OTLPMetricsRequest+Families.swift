import MetricFamilies
import SwiftProtobuf

extension OTLPMetricsRequest {
    /// Makes the request that exports metric families, as they are in `/metrics`: names and labels are the same.
    ///
    /// - Parameter now: time of the values, in nanoseconds since 1970.
    init(_ families: [MetricFamily], of service: String, _ resource: TelemetryResource, at now: UInt64) {
        self.init()
        let period = Period(start: resource.startedAt, end: now)
        let metrics = families.filter { !$0.samples.isEmpty }.map { OTLPMetric($0, in: period) }
        resourceMetrics = [
            .with {
                $0.resource = resource.message(of: service)
                $0.scopeMetrics = [
                    .with {
                        $0.scope = resource.scope
                        $0.metrics = metrics
                    }
                ]
            }
        ]
    }

    /// Time over which counters have counted, in nanoseconds since 1970.
    struct Period {
        let start: UInt64
        let end: UInt64
    }
}

extension OTLPMetric {
    fileprivate init(_ family: MetricFamily, in period: OTLPMetricsRequest.Period) {
        self.init()
        name = "\(family.name)"
        description_p = "\(family.help)"
        switch family.kind {
        case .gauge: gauge = .with { $0.points = family.samples.map { OTLPNumberPoint($0, in: period) } }
        case .counter:
            sum = .with {
                $0.points = family.samples.map { OTLPNumberPoint($0, in: period) }
                $0.temporality = .cumulative
                $0.isMonotonic = true
            }
        case .histogram:
            histogram = .with {
                $0.points = OTLPHistogramPoint.points(of: family.samples, in: period)
                $0.temporality = .cumulative
            }
        }
    }
}

extension OTLPNumberPoint {
    fileprivate init(_ sample: MetricFamily.Sample, in period: OTLPMetricsRequest.Period) {
        self.init()
        attributes = sample.labels.map { OTLPAttribute("\($0.name)", $0.value) }
        startNanoseconds = period.start
        nanoseconds = period.end
        if let number = Int64(exactly: sample.value) { whole = number } else { fraction = sample.value }
    }
}

extension OTLPHistogramPoint {
    /// Points of a histogram family: one for each set of labels besides the bound (`le`).
    fileprivate static func points(of samples: [MetricFamily.Sample], in period: OTLPMetricsRequest.Period) -> [Self] {
        var points: [Self] = []
        var (bounds, totals): ([Double], [UInt64]) = ([], [])
        var sum = 0.0
        // Samples of one histogram follow each other: its buckets in ascending order, its sum, its count.
        for sample in samples {
            switch "\(sample.suffix)" {
            case "_bucket":
                let bound = sample.labels.last { "\($0.name)" == "le" }?.value ?? ""
                if bound != "+Inf" { bounds.append(Double(bound) ?? 0) }
                totals.append(UInt64(clamped: sample.value))
            case "_sum": sum = sample.value
            default:
                points.append(
                    .with {
                        $0.attributes = sample.labels.map { OTLPAttribute("\($0.name)", $0.value) }
                        $0.startNanoseconds = period.start
                        $0.nanoseconds = period.end
                        $0.count = UInt64(clamped: sample.value)
                        $0.sum = sum
                        $0.explicitBounds = bounds
                        // Each bucket in `/metrics` has the values of those before it too.
                        $0.bucketCounts = zip(totals, [0] + totals).map { $0 &- $1 }
                    })
                (bounds, totals, sum) = ([], [], 0)
            }
        }
        return points
    }
}

extension UInt64 {
    /// The whole number of values. 0 for what is no number.
    fileprivate init(clamped value: Double) {
        self = value >= 0 ? UInt64(exactly: value.rounded(.down)) ?? .max : 0
    }
}
