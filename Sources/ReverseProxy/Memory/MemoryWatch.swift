import Synchronization

/// How much memory the system still gives the process, and what follows from that.
///
/// It is looked at four times a second, and as soon as the loops have taken a part of what was left at the last look:
/// so much cannot be asked for between two looks that it is gone before the second.
final class MemoryWatch: Sendable {
    private let storedLevel = Atomic<Int>(MemoryLevel.ample.rawValue)
    /// What may be taken before the next look, in bytes.
    private let allowance = Atomic<Int>(0)
    private let nextLook = Atomic<Int64>(.min)
    /// From when on memory is given back again; held by whoever looks. It takes too long to do so at each look.
    private let nextRelief = Mutex<Int64>(.min)
    private let uses: @Sendable () -> [MemoryUse]
    private let giveBack: @Sendable () -> Void

    private static let interval: Int64 = 250_000_000
    /// The part of what is left that may be taken without a look, and what is always worth none.
    private static let (part, leastAllowance) = (8, 1 << 20)

    /// - Parameters:
    ///   - uses: of each bound that there is.
    ///   - giveBack: returns to the system what is not needed.
    init(uses: @escaping @Sendable () -> [MemoryUse], giveBack: @escaping @Sendable () -> Void) {
        self.uses = uses
        self.giveBack = giveBack
    }

    /// Of this process.
    convenience init() {
        self.init(uses: { ProcessMemory.uses() }, giveBack: { ProcessMemory.giveBack() })
    }

    var level: MemoryLevel { MemoryLevel(rawValue: storedLevel.load(ordering: .relaxed)) ?? .ample }
    /// Whether new requests are refused.
    var isShort: Bool { level != .ample }
    /// Whether nothing is read.
    var isOut: Bool { level == .out }

    /// Notes that memory was taken for what someone sent.
    ///
    /// - Returns: whether so much was taken that a look is due, whatever the time.
    func take(_ byteCount: Int) -> Bool {
        allowance.wrappingSubtract(byteCount, ordering: .relaxed).newValue < 0
    }

    /// Looks if that is due, whichever loop asks. Times are monotonic, in nanoseconds.
    ///
    /// - Parameter relieve: lets go of what is kept only to save time; asked before anything is refused.
    /// - Returns: the levels before and after the look; nil: none was due.
    func look(at now: Int64, relieve: () -> Void) -> MemoryChange? {
        guard isDue(at: now) else { return nil }
        return nextRelief.withLock { nextRelief in
            // Another loop may have looked while this one waited for it.
            guard isDue(at: now) else { return nil }
            let before = level
            var found = find(after: before)
            if found.level != .ample, nextRelief <= now {
                giveBack()
                found = find(after: before)
                if found.level != .ample {
                    relieve()
                    giveBack()
                    found = find(after: before)
                }
                nextRelief = now &+ Self.interval
            }
            storedLevel.store(found.level.rawValue, ordering: .relaxed)
            allowance.store(max(Self.leastAllowance, found.left / Self.part), ordering: .relaxed)
            nextLook.store(now &+ Self.interval, ordering: .relaxed)
            return MemoryChange(before: before, after: found.level)
        }
    }

    private func isDue(at now: Int64) -> Bool {
        nextLook.load(ordering: .relaxed) <= now || allowance.load(ordering: .relaxed) < 0
    }

    /// The worst level of all bounds, and the least that is left of any.
    private func find(after before: MemoryLevel) -> (level: MemoryLevel, left: Int) {
        let uses = uses()
        return (uses.map { $0.level(after: before) }.max() ?? .ample, uses.map(\.left).min() ?? .max)
    }
}

/// The levels before and after a look.
struct MemoryChange: Hashable, Sendable {
    let before: MemoryLevel
    let after: MemoryLevel
}
