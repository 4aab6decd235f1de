import Synchronization
import Testing

@testable import ReverseProxy

/// When memory counts as short.
struct MemoryWatchTests {
    /// Memory of which some is kept for speed, and some is only not returned yet; in hundredths.
    private final class Memory: Sendable {
        let percent = Atomic<Int>(0)
        let returnable = Atomic<Int>(0)

        func watch() -> MemoryWatch {
            MemoryWatch(
                usedShare: { Double(self.percent.load(ordering: .relaxed)) / 100 },
                giveBack: { self.percent.wrappingSubtract(self.returnable.exchange(0, ordering: .relaxed), ordering: .relaxed) })
        }
    }

    private static let interval: Int64 = 250_000_000

    @Test func `memory is short above nine tenths of the limit, and until it is below eight again`() {
        let memory = Memory()
        let watch = memory.watch()
        for (turn, (percent, isShort, isNews)) in [
            (90, false, false), (91, true, true), (95, true, false), (81, true, false), (80, false, false), (90, false, false),
            (101, true, true),
        ].enumerated() {
            memory.percent.store(percent, ordering: .relaxed)
            #expect(watch.look(at: Int64(turn) * Self.interval) {} == isNews, "\(percent)")
            #expect(watch.isShort == isShort, "\(percent)")
        }
    }

    @Test func `nothing is refused while something can be returned or forgotten`() {
        let memory = Memory()
        let watch = memory.watch()
        memory.percent.store(95, ordering: .relaxed)
        memory.returnable.store(10, ordering: .relaxed)
        var asked = 0
        #expect(!watch.look(at: 0) { asked += 1 } && asked == 0)
        memory.percent.store(95, ordering: .relaxed)
        #expect(!watch.look(at: Self.interval) { memory.returnable.store(20, ordering: .relaxed) })
        memory.percent.store(95, ordering: .relaxed)
        #expect(watch.look(at: 2 * Self.interval) { asked += 1 } && asked == 1)
    }

    @Test func `it looks four times a second, and finds nothing short where nothing bounds it`() {
        let memory = Memory()
        let watch = memory.watch()
        #expect(!watch.look(at: 0) {})
        memory.percent.store(100, ordering: .relaxed)
        #expect(!watch.look(at: Self.interval - 1) {})
        #expect(watch.look(at: Self.interval) {})
        let unbounded = MemoryWatch(usedShare: { nil }, giveBack: {})
        #expect(!unbounded.look(at: 0) {} && !unbounded.isShort)
    }
}
