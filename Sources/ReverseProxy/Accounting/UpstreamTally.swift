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

    var isEmpty: Bool { blocks.isEmpty }

    /// Adds what was counted to the sums, and begins anew.
    func handOver(to sums: inout [String: UpstreamFigures]) {
        let authorities = authorities
        blocks.handOver { row, block in sums[authorities[row], default: UpstreamFigures()].add(block) }
    }
}

@available(*, unavailable)
extension UpstreamTally: Sendable {}
