import Testing

@testable import MetricFamilies

struct HistogramQuantileTests {
    private static let bounds = [1.0, 2, 10]

    private static let medians: [([UInt64], Double?)] = [
        ([], nil), ([0, 0, 0, 0], nil), ([4, 0, 0, 0], 0.5), ([0, 4, 0, 0], 1.5), ([1, 1, 2, 0], 2),
        ([1, 0, 4, 0], 5), ([0, 0, 0, 9], 10), ([1, 0, 0, 1], 1),
    ]

    @Test(arguments: medians)
    func `the median is interpolated within its bucket, and never above the greatest bound`(
        counts: [UInt64], expected: Double?
    ) {
        #expect(HistogramQuantile.estimate(0.5, counts: counts, bounds: Self.bounds) == expected)
    }

    @Test func `the extremes are the bounds of the first and last bucket with values`() {
        let counts: [UInt64] = [0, 3, 0, 0]
        #expect(HistogramQuantile.estimate(0, counts: counts, bounds: Self.bounds) == 1)
        #expect(HistogramQuantile.estimate(1, counts: counts, bounds: Self.bounds) == 2)
        #expect(HistogramQuantile.estimate(7, counts: counts, bounds: Self.bounds) == 2)
        #expect(HistogramQuantile.estimate(0.5, counts: counts, bounds: []) == nil)
    }
}
