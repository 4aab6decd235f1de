import Testing

@testable import ReverseProxy

struct CountBlocksTests {
    private func taken(_ blocks: inout CountBlocks) -> [Int: [UInt64]] {
        var taken: [Int: [UInt64]] = [:]
        blocks.handOver { series, block in
            var sum = SeriesSum()
            sum.add(block)
            let counters = (0..<block.count - DurationBuckets.count - 1).map(sum.counter)
            taken[series] = sum.buckets.filter { $0 != 0 } + [UInt64(sum.seconds * 1e9)] + counters
        }
        return taken
    }

    @Test func `each series has its own counts, and a hand-over resets them`() {
        var blocks = CountBlocks(series: 3, counters: 2)
        #expect(blocks.isEmpty)
        blocks.add(1000, to: 2, (0, 7), (1, 9))
        blocks.add(500, to: 2, (0, 1), (1, 1))
        blocks.add(5, to: 0, counter: 1)
        #expect(!blocks.isEmpty)
        #expect(taken(&blocks) == [0: [0, 0, 5], 2: [2, 1500, 8, 10]])
        #expect(blocks.isEmpty)
        #expect(taken(&blocks).isEmpty)
        blocks.add(2_000_000, to: 2, (0, 1))
        #expect(taken(&blocks) == [2: [1, 2_000_000, 1, 0]])
    }

    @Test func `counts for an unknown series are ignored, and counts for an added series are kept`() {
        var blocks = CountBlocks(series: 1, counters: 1)
        blocks.add(1, to: 1, (0, 1))
        blocks.add(1, to: -1, counter: 0)
        #expect(blocks.isEmpty)
        blocks.addSeries(1)
        blocks.add(-5, to: 1, (0, 1))
        #expect(taken(&blocks) == [1: [1, 0, 1]])
    }
}
