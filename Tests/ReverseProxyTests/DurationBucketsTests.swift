import Testing

@testable import ReverseProxy

struct DurationBucketsTests {
    @Test func `a duration at a bound is within it, and one beyond is in the next`() {
        for (index, bound) in DurationBuckets.bounds.enumerated() {
            #expect(DurationBuckets.index(of: bound) == index)
            #expect(DurationBuckets.index(of: bound + 1) == index + 1)
        }
        #expect(DurationBuckets.index(of: 0) == 0)
        #expect(DurationBuckets.index(of: .max) == DurationBuckets.count - 1)
    }

    @Test func `bounds rise, and are told in seconds`() {
        #expect(DurationBuckets.bounds == DurationBuckets.bounds.sorted())
        #expect(DurationBuckets.secondBounds.first == 0.001)
        #expect(DurationBuckets.secondBounds.last == 10)
    }
}
