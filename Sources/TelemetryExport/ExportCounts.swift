import MetricFamilies
import Synchronization
import Telemetry

/// Counts of what was exported.
final class ExportCounts: Sendable {
    private struct Counts {
        var (sent, failed, rejected): (UInt64, UInt64, UInt64) = (0, 0, 0)
        var succeeded: [TelemetrySignal: UInt64] = [:]
        var failures: [TelemetrySignal: UInt64] = [:]
    }

    private let counts = Mutex(Counts())

    /// Counts an answered export.
    ///
    /// - Parameters:
    ///   - spans: number of spans in it.
    ///   - rejected: number of them that the collector says it rejected.
    func succeeded(_ signal: TelemetrySignal, spans: Int = 0, rejected: Int = 0) {
        counts.withLock {
            $0.succeeded[signal, default: 0] += 1
            $0.sent += UInt64(spans - rejected)
            $0.rejected += UInt64(rejected)
        }
    }

    /// Counts an export that is given up.
    func failed(_ signal: TelemetrySignal, spans: Int = 0) {
        counts.withLock {
            $0.failures[signal, default: 0] += 1
            $0.failed += UInt64(spans)
        }
    }

    /// - Parameter overflown: number of spans that were dropped before they could be exported.
    func families(overflown: UInt64) -> [MetricFamily] {
        let counts = counts.withLock { $0 }
        return [
            .counter(
                "bearward_telemetry_spans_total", "Spans by what became of them.",
                .by(
                    "outcome",
                    [
                        "sent": counts.sent, "rejected": counts.rejected, "failed": counts.failed,
                        "dropped": overflown,
                    ])),
            .counter(
                "bearward_telemetry_exports_total", "Requests to the collector by signal and outcome.",
                TelemetrySignal.allCases.flatMap { signal in
                    [
                        Self.sample(counts.succeeded[signal], signal, "succeeded"),
                        Self.sample(counts.failures[signal], signal, "failed"),
                    ]
                }),
        ]
    }

    private static func sample(_ count: UInt64?, _ signal: TelemetrySignal, _ outcome: String) -> MetricFamily.Sample {
        let labels: MetricFamily.Labels = [(name: "signal", value: signal.rawValue), (name: "outcome", value: outcome)]
        return MetricFamily.Sample(count ?? 0, labels)
    }
}
