import Testing

@testable import ReverseProxy

struct DurationBucketsTests {
    @Test func `a duration at a bucket's bound is in that bucket, and a longer one in the next`() {
        for (index, bound) in DurationBuckets.bounds.enumerated() {
            #expect(DurationBuckets.index(of: bound) == index)
            #expect(DurationBuckets.index(of: bound + 1) == index + 1)
        }
        #expect(DurationBuckets.index(of: 0) == 0)
        #expect(DurationBuckets.index(of: .max) == DurationBuckets.count - 1)
    }

    @Test func `bucket bounds ascend and are exported in seconds`() {
        #expect(DurationBuckets.bounds == DurationBuckets.bounds.sorted())
        #expect(DurationBuckets.secondBounds.first == 0.001)
        #expect(DurationBuckets.secondBounds.last == 10)
    }
}
