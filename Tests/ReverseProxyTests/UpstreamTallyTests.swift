import Testing

@testable import ReverseProxy

struct UpstreamTallyTests {
    @Test func `a returning target keeps its row, and counts of two event loops are added`() {
        let counts = UpstreamCounts()
        for _ in 1...2 {
            let loop = UpstreamTally()
            let first = loop.row(of: "a:80")
            let second = loop.row(of: "b:80")
            #expect(loop.row(of: "a:80") == first && first != second)
            loop.answered(first, .successful, after: 3_000_000)
            loop.failed(second, .reset)
            // A second hand-over adds nothing.
            for _ in 1...2 { loop.handOver(to: counts) }
        }
        let sums = counts.sums.all
        #expect(sums[["a:80"]]?.count(.successful) == 2)
        #expect(sums[["a:80"]]?.buckets == [0, 0, 2] + [UInt64](repeating: 0, count: DurationBuckets.count - 3))
        #expect(sums[["a:80"]]?.seconds == 0.006)
        #expect(sums[["b:80"]]?.count(.reset) == 2)
        #expect(sums[["b:80"]]?.seconds == 0)
    }

    @Test func `each outcome has a label, and a status has the outcome of its class`() {
        #expect(Set(UpstreamOutcome.allCases.map(\.label)).count == UpstreamOutcome.allCases.count)
        for status in [101, 200, 302, 404, 599] {
            #expect(UpstreamOutcome(status: status)?.label == "\(status / 100)xx")
        }
        #expect(UpstreamOutcome(status: 600) == nil)
        #expect(UpstreamOutcome(status: 99) == nil)
    }
}
