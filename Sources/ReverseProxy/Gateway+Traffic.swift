import RequestAuthorization
import TokenVerification

/// Counts of a gateway for the admin listener. Read off the event loops.
extension Gateway {
    /// Upper bounds of the buckets of ``durations``, in seconds. A last bucket has none.
    public static var durationBounds: [Double] { DurationBuckets.secondBounds }

    /// Finished requests by rule and reason. Takes time for each rule.
    public var traffic: TrafficReport {
        TrafficReport(state.requestCounts, state.decisions, state.shadowCounts, configuration.labels)
    }

    /// Finished requests since the start, by class of the status: all, 4xx, 5xx, and all by duration.
    public var totals: (requests: UInt64, clientErrors: UInt64, serverErrors: UInt64, durations: [UInt64]) {
        let sums = state.requestCounts.totals.all
        func count(_ status: StatusClass) -> UInt64 {
            sums.indices.contains(status.rawValue) ? sums[status.rawValue].buckets.reduce(0, &+) : 0
        }
        var durations = [UInt64](repeating: 0, count: DurationBuckets.count)
        for sum in sums {
            for (index, bucket) in zip(durations.indices, sum.buckets) { durations[index] &+= bucket }
        }
        return (durations.reduce(0, &+), count(.clientError), count(.serverError), durations)
    }

    /// Comparisons with the file of `--shadow`, by their result.
    public var shadowResults: (same: UInt64, different: UInt64, unknown: UInt64) {
        let counts = state.shadowCounts.results.counts
        return (counts[.same] ?? 0, counts[.different] ?? 0, counts[.unknown] ?? 0)
    }

    /// Rules in observe mode, with the time at which each begins to refuse requests.
    public func observedRules(at now: NumericDate) -> [(resource: String, rule: String, until: NumericDate)] {
        let configuration = configuration
        return configuration.authorizer.resources.indexed.flatMap { index, resource in
            resource.observedRules(at: now).map { observed in
                let names = configuration.labels.names(observed.rule, of: index)
                return (names.resource, names.rule, observed.until)
            }
        }
    }
}
