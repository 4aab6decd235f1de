import MetricFamilies
import RequestAuthorization

/// Finished requests by rule and status class, summed over all event loops.
struct RequestCounts: ~Copyable, Sendable {
    fileprivate enum Counter: Int, CaseIterable { case bytesIn, bytesOut }

    let sums = SeriesSums(labels: ["resource", "rule", "status"])
    let totals = StatusTotals()

    var families: [MetricFamily] {
        let series = sums.sorted
        func samples(_ counter: Counter) -> [MetricFamily.Sample] {
            series.map { MetricFamily.Sample($0.sum.counter(counter.rawValue), $0.labels) }
        }
        return [
            .histogram(
                "bearward_request_duration_seconds",
                "Seconds from the first byte of a request to the end of its answer, by resource, rule and class of the status.",
                series.flatMap { $0.sum.histogram($0.labels) }),
            .counter(
                "bearward_request_bytes_total", "Bytes received for finished requests: heads, bodies and framing.",
                samples(.bytesIn)),
            .counter(
                "bearward_response_bytes_total", "Bytes sent for finished answers: heads, bodies and framing.",
                samples(.bytesOut)),
        ]
    }
}

/// Finished requests of one event loop and one configuration, since the last hand-over.
struct RequestTally {
    private let labels: RequestLabels
    private var blocks: CountBlocks

    init(of configuration: ProxyConfiguration) {
        labels = configuration.labels
        blocks = CountBlocks(
            series: labels.rowCount * StatusClass.allCases.count, counters: RequestCounts.Counter.allCases.count)
    }

    /// Counts a finished request.
    mutating func add(_ record: borrowing RequestRecord, at now: Int64) {
        let row = labels.row(record.facts?.rule, of: record.facts?.resource)
        blocks.add(
            now &- record.startedAt, to: row &* StatusClass.allCases.count &+ StatusClass(record.status).rawValue,
            (RequestCounts.Counter.bytesIn.rawValue, UInt64(truncatingIfNeeded: record.bytesIn)),
            (RequestCounts.Counter.bytesOut.rawValue, UInt64(truncatingIfNeeded: record.bytesOut)))
    }

    /// Adds the counts to the sums, and resets them.
    mutating func handOver(to counts: borrowing RequestCounts) {
        guard !blocks.isEmpty else { return }
        var totals = [SeriesSum](repeating: SeriesSum(), count: StatusClass.allCases.count)
        counts.sums.take(&blocks) { series, block in
            let status = series.quotientAndRemainder(dividingBy: StatusClass.allCases.count).remainder
            if totals.indices.contains(status) { totals[status].add(block) }
        } _: { series in
            let (row, status) = series.quotientAndRemainder(dividingBy: StatusClass.allCases.count)
            let names = labels.names(ofRow: row)
            return [names.resource, names.rule, (StatusClass(rawValue: status) ?? .none).label]
        }
        counts.totals.add(totals)
    }
}
