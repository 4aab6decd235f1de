import AccessControl

/// One event loop's requests of one configuration, since they were last handed over.
struct RequestTally {
    enum Counter: Int, CaseIterable { case bytesIn, bytesOut }

    private let labels: RequestLabels
    private var blocks: CountBlocks

    init(of configuration: ProxyConfiguration) {
        labels = configuration.labels
        blocks = CountBlocks(series: labels.rowCount * StatusClass.allCases.count, counters: Counter.allCases.count)
    }

    /// Counts a request that ended.
    mutating func add(_ record: borrowing RequestRecord, _ rule: RuleIndex?, of resource: ResourceIndex?, at now: Int64)
    {
        let row = labels.row(rule, of: resource)
        blocks.add(
            now &- record.startedAt, to: row &* StatusClass.allCases.count &+ StatusClass(record.status).rawValue,
            (Counter.bytesIn.rawValue, UInt64(truncatingIfNeeded: record.bytesIn)),
            (Counter.bytesOut.rawValue, UInt64(truncatingIfNeeded: record.bytesOut)))
    }

    var isEmpty: Bool { blocks.isEmpty }

    /// Adds what was counted to the sums, and begins anew.
    mutating func handOver(to sums: inout [RequestSeries: RequestFigures]) {
        blocks.handOver { series, block in
            let (row, status) = series.quotientAndRemainder(dividingBy: StatusClass.allCases.count)
            let names = labels.names(ofRow: row)
            let key = RequestSeries(
                resource: names.resource, rule: names.rule, status: StatusClass(rawValue: status) ?? .none)
            sums[key, default: RequestFigures()].add(block)
        }
    }
}
