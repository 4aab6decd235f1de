import MetricFamilies

/// Attempts to get an answer from a target, by the target's host and port, summed over all event loops.
struct UpstreamCounts: ~Copyable, Sendable {
    let sums = SeriesSums(labels: ["target"])

    var families: [MetricFamily] {
        let series = sums.sorted
        return [
            .histogram(
                "bearward_upstream_duration_seconds",
                "Seconds from the start of an attempt at a target to the head of its response; attempts without a response are left out.",
                series.flatMap { $0.sum.histogram($0.labels) }),
            .counter(
                "bearward_upstream_requests_total",
                "Attempts to get an answer from a target, by outcome: the status class, or the cause of the failure.",
                series.flatMap { labels, sum in
                    UpstreamOutcome.allCases.filter { sum.counter($0.rawValue) > 0 }.map {
                        MetricFamily.Sample(sum.counter($0.rawValue), labels + [("outcome", $0.label)])
                    }
                }),
        ]
    }
}

/// Attempts of one event loop since the last hand-over. Confined to the loop.
final class UpstreamTally {
    private var rows: [String: Int] = [:]
    /// Host and port of each row.
    private var authorities: [String] = []
    @safe @exclusivity(unchecked) private var blocks = CountBlocks(series: 0, counters: UpstreamOutcome.allCases.count)

    /// Row of a target; creates it if the target has none.
    func row(of authority: String) -> Int {
        if let row = rows[authority] { return row }
        rows[authority] = authorities.count
        authorities.append(authority)
        blocks.addSeries(1)
        return authorities.count - 1
    }

    /// Counts an attempt that was answered after a duration in nanoseconds.
    func answered(_ row: Int, _ outcome: UpstreamOutcome, after duration: Int64) {
        blocks.add(duration, to: row, (outcome.rawValue, 1))
    }

    /// Counts an attempt that was not answered.
    func failed(_ row: Int, _ outcome: UpstreamOutcome) {
        blocks.add(1, to: row, counter: outcome.rawValue)
    }

    /// Adds the counts to the sums, and resets them.
    func handOver(to counts: borrowing UpstreamCounts) {
        let authorities = authorities
        counts.sums.take(&blocks) { [authorities[$0]] }
    }
}

@available(*, unavailable)
extension UpstreamTally: Sendable {}
