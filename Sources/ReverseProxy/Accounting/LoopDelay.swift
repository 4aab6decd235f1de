import MetricFamilies

/// Thresholds for how late the regular work of an event loop is, measured at every tick. The loop was busy, or the
/// system did not schedule it.
enum LoopDelay: String, CaseIterable {
    case fiveMilliseconds = "5ms"
    case fiftyMilliseconds = "50ms"
    case halfASecond = "500ms"

    var nanoseconds: Int64 {
        switch self {
        case .fiveMilliseconds: 5_000_000
        case .fiftyMilliseconds: 50_000_000
        case .halfASecond: 500_000_000
        }
    }
}

extension CaseCounter<LoopDelay> {
    /// Counts a lateness in nanoseconds, at every threshold that it exceeds.
    func add(lateness: Int64) {
        for bound in LoopDelay.allCases where lateness > bound.nanoseconds { add(bound) }
    }

    var family: MetricFamily {
        .counter(
            "bearward_event_loop_delays_total",
            "Times that an event loop's regular work was late by more than `longer_than`.",
            samples("longer_than"))
    }
}
