import Synchronization
import Testing

@testable import ReverseProxy

struct HeapTrimmerTests {
    @Test func `free heap is returned when it exceeds both the heap in use and 16 MiB`() {
        let least = HeapTrimmer.leastFree
        let table: [(allocated: Int, free: Int, isWorth: Bool)] = [
            (0, 0, false), (0, least, false), (0, least + 1, true), (2 * least, 2 * least, false),
            (2 * least, 2 * least + 1, true),
        ]
        for row in table {
            #expect(
                HeapTrimmer.isWorthTrimming(.init(allocated: row.allocated, free: row.free)) == row.isWorth, "\(row)")
        }
    }

    @Test func `the trimmer examines the heap at most every ten seconds`() {
        let (looks, trims) = (Counter(), Counter())
        let trimmer = HeapTrimmer(
            heap: {
                looks.add()
                return .init(allocated: 0, free: looks.count == 2 ? .max : 0)
            }, trim: { trims.add() })
        for (now, looked, trimmed) in [
            (0, 1, 0), (9_999_999_999, 1, 0), (10_000_000_000, 2, 1), (20_000_000_000, 3, 1),
        ]
            as [(Int64, Int, Int)]
        {
            trimmer.look(at: now)
            trimmer.finish()
            #expect(looks.count == looked && trims.count == trimmed, "at \(now)")
        }
    }
}

private final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
}
