import Synchronization
import Telemetry
import Testing

struct SpanQueueTests {
    @Test func `without an exporter nothing is kept or counted`() {
        let queue = SpanQueue()
        queue.add([1], count: 1)
        #expect(queue.take(atMost: 10).isEmpty)
        #expect(queue.dropped == 0)
    }

    @Test func `batches are taken in order, up to a size, and at least one`() {
        let queue = SpanQueue()
        queue.collect {}
        for number in 1...3 { queue.add([UInt8](repeating: UInt8(number), count: 10), count: number) }
        #expect(queue.take(atMost: 25).map(\.count) == [1, 2])
        #expect(queue.take(atMost: 5).map(\.count) == [3])
        #expect(queue.take(atMost: 5).isEmpty)
    }

    @Test func `spans beyond the bound are dropped and counted, and those before are kept`() {
        let queue = SpanQueue()
        queue.collect {}
        queue.add([UInt8](repeating: 0, count: SpanQueue.longest), count: 7)
        queue.add([0], count: 2)
        #expect(queue.dropped == 2)
        #expect(queue.take(atMost: 1).map(\.count) == [7])
        queue.add([0], count: 1)
        #expect(queue.dropped == 2)
    }

    @Test func `the exporter is called once when enough spans wait`() {
        let calls = Atomic<Int>(0)
        let queue = SpanQueue()
        queue.collect { calls.wrappingAdd(1, ordering: .relaxed) }
        for _ in 0..<100 { queue.add([UInt8](repeating: 0, count: 32 * 1024), count: 1) }
        #expect(calls.load(ordering: .relaxed) == 1)
        while !queue.take(atMost: 1024 * 1024).isEmpty {}
        for _ in 0..<100 { queue.add([UInt8](repeating: 0, count: 32 * 1024), count: 1) }
        #expect(calls.load(ordering: .relaxed) == 2)
    }

    @Test func `what waits is discarded when the collection ends`() {
        let queue = SpanQueue()
        queue.collect {}
        queue.add([0], count: 1)
        queue.collect(nil)
        queue.collect {}
        #expect(queue.take(atMost: 1).isEmpty)
    }
}
