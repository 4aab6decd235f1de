import MetricFamilies

/// How late an event loop may be, four times a second: it was busy, or the system did not schedule it.
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
    /// Counts by how many nanoseconds a loop was late, if that is worth it.
    func add(lateness: Int64) {
        for bound in LoopDelay.allCases where lateness > bound.nanoseconds { add(bound) }
    }

    var family: MetricFamily {
        .counter(
            "bearward_event_loop_delays_total",
            "Times that an event loop was late for its regular work by more than the label says.",
            samples("longer_than"))
    }
}
