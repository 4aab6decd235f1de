import Synchronization
import Testing

@testable import ReverseProxy

/// The level of memory, and the times at which it is read.
struct MemoryWatchTests {
    /// Scripted memory use in percent of the limit. Part of it is cache that can be dropped, part is free heap that is
    /// not returned yet.
    private final class Memory: Sendable {
        let percent = Atomic<Int>(0)
        let returnable = Atomic<Int>(0)
        let looks = Atomic<Int>(0)
        let returns = Atomic<Int>(0)

        func watch() -> MemoryWatch {
            MemoryWatch(
                uses: {
                    self.looks.wrappingAdd(1, ordering: .relaxed)
                    return [MemoryUse(used: self.percent.load(ordering: .relaxed) << 24, bound: 100 << 24)]
                },
                giveBack: {
                    self.returns.wrappingAdd(1, ordering: .relaxed)
                    self.percent.wrappingSubtract(self.returnable.exchange(0, ordering: .relaxed), ordering: .relaxed)
                })
        }
    }

    private static let interval: Int64 = 250_000_000

    // MARK: Levels

    @Test func `memory is short above nine tenths of the limit, until it falls below eight tenths`() {
        let memory = Memory()
        let watch = memory.watch()
        for (turn, (percent, level)) in [
            (90, MemoryLevel.ample), (91, .short), (95, .short), (96, .out), (94, .out), (92, .short), (81, .short),
            (80, .ample),
            (90, .ample), (101, .out), (80, .ample),
        ].enumerated() {
            memory.percent.store(percent, ordering: .relaxed)
            let before = watch.level
            #expect(
                watch.look(at: Int64(turn) * Self.interval) {} == MemoryChange(before: before, after: level),
                "\(percent)")
            #expect(watch.level == level, "\(percent)")
        }
    }

    @Test(
        arguments: [
            // Limit and use in MiB: a tenth of 4 GiB is kept free, a sixth of 192 MiB and less.
            (4096, 3687, MemoryLevel.short), (4096, 3686, .ample), (512, 461, .short), (512, 460, .ample),
            (192, 161, .short),
            (192, 160, .ample), (192, 177, .out), (96, 81, .short), (96, 80, .ample), (96, 89, .out), (0, 0, .ample),
        ])
    func `a larger share of a small limit is kept free`(_ bound: Int, _ used: Int, _ level: MemoryLevel) {
        #expect(MemoryUse(used: used << 20, bound: bound << 20).level(after: .ample) == level)
    }

    @Test(arguments: [(96, 70), (192, 140), (512, 409), (4096, 3276)])
    func `the memory use of an idle gateway ends a shortage`(
        _ bound: Int, _ used: Int
    ) {
        for before in MemoryLevel.allCases {
            #expect(MemoryUse(used: used << 20, bound: bound << 20).level(after: before) == .ample, "\(before)")
        }
    }

    @Test func `the most used of several memory limits decides the level`() {
        let watch = MemoryWatch(
            uses: {
                [MemoryUse(used: 0, bound: 1 << 30), MemoryUse(used: 92, bound: 100), MemoryUse(used: 1, bound: 100)]
            }, giveBack: {})
        #expect(watch.look(at: 0) {}?.after == .short)
    }

    // MARK: Relief

    @Test func `memory is not short while the heap or caches can give some back`() {
        let memory = Memory()
        let watch = memory.watch()
        memory.percent.store(95, ordering: .relaxed)
        memory.returnable.store(10, ordering: .relaxed)
        var asked = 0
        #expect(watch.look(at: 0) { asked += 1 }?.after == .ample && asked == 0)
        memory.percent.store(95, ordering: .relaxed)
        #expect(watch.look(at: Self.interval) { memory.returnable.store(20, ordering: .relaxed) }?.after == .ample)
        memory.percent.store(95, ordering: .relaxed)
        #expect(watch.look(at: 2 * Self.interval) { asked += 1 }?.after == .short && asked == 1)
    }

    @Test func `memory is given back at most four times a second, however often the level is read`() {
        let memory = Memory()
        let watch = memory.watch()
        memory.percent.store(95, ordering: .relaxed)
        for _ in 0..<100 {
            #expect(watch.look(at: 0) {} != nil)
            _ = watch.take(1 << 40)
        }
        #expect(memory.returns.load(ordering: .relaxed) == 2)
        #expect(watch.look(at: Self.interval) {} != nil)
        #expect(memory.returns.load(ordering: .relaxed) == 4)
    }

    // MARK: Looks

    @Test func `the memory level is read four times a second, and is ample without a limit`() {
        let memory = Memory()
        let watch = memory.watch()
        #expect(watch.look(at: 0) {}?.after == .ample)
        memory.percent.store(100, ordering: .relaxed)
        #expect(watch.look(at: Self.interval - 1) {} == nil)
        #expect(watch.look(at: Self.interval) {}?.after == .out)
        let unbounded = MemoryWatch(uses: { [] }, giveBack: {})
        #expect(unbounded.look(at: 0) {}?.after == .ample)
        #expect(!unbounded.take(1 << 50) && unbounded.look(at: 1) {} == nil)
    }

    @Test func `the memory level is read again early once an eighth of the free memory is taken`() {
        let memory = Memory()
        let watch = memory.watch()
        memory.percent.store(60, ordering: .relaxed)
        _ = watch.look(at: 0) {}
        let eighth = 5 << 24
        #expect(!watch.take(eighth))
        #expect(watch.look(at: 1) {} == nil)
        #expect(watch.take(1))
        memory.percent.store(91, ordering: .relaxed)
        #expect(watch.look(at: 1) {}?.after == .short)
        #expect(!watch.take(1))
    }

    @Test func `clients can never use up all memory between two readings of the level`() {
        let memory = Memory()
        let watch = memory.watch()
        var used = 50 << 24
        _ = watch.look(at: 0) {}
        // Takes reads of 32 KiB until reading is stopped, without any time passing.
        while !watch.isOut {
            used += 32 << 10
            memory.percent.store((used >> 24) + 1, ordering: .relaxed)
            if watch.take(32 << 10) { _ = watch.look(at: 0) {} }
            guard used < 100 << 24 else { break }
        }
        #expect(used < 97 << 24)
        #expect(memory.looks.load(ordering: .relaxed) < 60)
    }
}
