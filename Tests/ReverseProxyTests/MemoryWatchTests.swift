import Synchronization
import Testing

@testable import ReverseProxy

/// When memory counts as short.
struct MemoryWatchTests {
    private final class Usage: Sendable {
        let percent = Atomic<Int>(0)
    }

    private static let second: Int64 = 1_000_000_000

    private static func watch() -> (MemoryWatch, Usage) {
        let usage = Usage()
        return (MemoryWatch { Double(usage.percent.load(ordering: .relaxed)) / 100 }, usage)
    }

    @Test func `memory is short above nine tenths of the limit, and until it is below eight again`() {
        let (watch, usage) = Self.watch()
        for (turn, (percent, isShort, isNews)) in [
            (90, false, false), (91, true, true), (95, true, false), (81, true, false), (80, false, false), (90, false, false),
            (101, true, true),
        ].enumerated() {
            usage.percent.store(percent, ordering: .relaxed)
            #expect(watch.look(at: Int64(turn) * Self.second) == isNews, "\(percent)")
            #expect(watch.isShort == isShort, "\(percent)")
        }
    }

    @Test func `it looks once a second, and never finds it short where nothing bounds it`() {
        let (watch, usage) = Self.watch()
        #expect(!watch.look(at: 0))
        usage.percent.store(100, ordering: .relaxed)
        #expect(!watch.look(at: Self.second - 1))
        #expect(watch.look(at: Self.second))
        let unbounded = MemoryWatch { nil }
        #expect(!unbounded.look(at: 0) && !unbounded.isShort)
        #expect(MemoryLimits().usedShare() == nil)
    }

    @Test func `shares are of what the limit is a limit of`() throws {
        let use = try #require(MemoryLimits.use())
        #expect(use.resident > 1 << 20 && use.mapped > use.resident)
        let ofGroup = try #require(MemoryLimits(controlGroup: use.resident * 2).usedShare())
        #expect(ofGroup > 0.3 && ofGroup < 0.9)
        let ofBoth = try #require(MemoryLimits(addressSpace: use.mapped * 100, controlGroup: use.resident * 2).usedShare())
        #expect(ofBoth > 0.3 && ofBoth < 0.9)
        let ofAddressSpace = try #require(MemoryLimits(addressSpace: use.mapped * 2).usedShare())
        #expect(ofAddressSpace > 0.01 && ofAddressSpace < 0.9)
    }
}
