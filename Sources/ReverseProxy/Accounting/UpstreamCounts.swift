import MetricFamilies

/// Attempts to have requests answered by targets, by the target's host and port, over all event loops.
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
                "Attempts to have a request answered by a target, by outcome: the class of the status, or why there was no response.",
                series.flatMap { labels, sum in
                    UpstreamOutcome.allCases.filter { sum.counter($0.rawValue) > 0 }.map {
                        MetricFamily.Sample(sum.counter($0.rawValue), labels + [("outcome", $0.label)])
                    }
                }),
        ]
    }
}

/// One event loop's attempts at its upstreams since they were last handed over. Confined to the loop.
final class UpstreamTally {
    private var rows: [String: Int] = [:]
    /// Host and port of each row.
    private var authorities: [String] = []
    @safe @exclusivity(unchecked) private var blocks = CountBlocks(series: 0, counters: UpstreamOutcome.allCases.count)

    /// The row of a target; one that was there before gets its row again.
    func row(of authority: String) -> Int {
        if let row = rows[authority] { return row }
        rows[authority] = authorities.count
        authorities.append(authority)
        blocks.addSeries(1)
        return authorities.count - 1
    }

    /// Counts an attempt that was answered so many nanoseconds after it began.
    func answered(_ row: Int, _ outcome: UpstreamOutcome, after duration: Int64) {
        blocks.add(duration, to: row, (outcome.rawValue, 1))
    }

    /// Counts an attempt that was not answered.
    func failed(_ row: Int, _ outcome: UpstreamOutcome) {
        blocks.add(1, to: row, counter: outcome.rawValue)
    }

    /// Adds the counts to the sums, and begins anew.
    func handOver(to counts: borrowing UpstreamCounts) {
        let authorities = authorities
        counts.sums.take(&blocks) { [authorities[$0]] }
    }
}

@available(*, unavailable)
extension UpstreamTally: Sendable {}
