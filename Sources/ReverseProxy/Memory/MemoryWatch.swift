import Synchronization

/// Watches how much memory the system still gives the process.
///
/// Checked four times a second, and as soon as the loops have taken an eighth of the memory left at the last check. So
/// memory cannot be used up between two checks.
final class MemoryWatch: Sendable {
    private let storedLevel = Atomic<Int>(MemoryLevel.ample.rawValue)
    /// Bytes that may be taken before the next check.
    private let allowance = Atomic<Int>(0)
    private let nextLook = Atomic<Int64>(.min)
    /// Earliest time at which memory is returned to the system again, since that takes too long for every check. The
    /// lock also keeps checks apart.
    private let nextRelief = Mutex<Int64>(.min)
    private let uses: @Sendable () -> [MemoryUse]
    private let giveBack: @Sendable () -> Void

    private static let interval: Int64 = 250_000_000
    /// Fraction (1/8) of the remaining memory that may be taken without a check, and the least amount that triggers
    /// one.
    private static let (part, leastAllowance) = (8, 1 << 20)

    /// - Parameters:
    ///   - uses: Reads the memory in use under each bound.
    ///   - giveBack: Returns unneeded memory to the system.
    init(uses: @escaping @Sendable () -> [MemoryUse], giveBack: @escaping @Sendable () -> Void) {
        self.uses = uses
        self.giveBack = giveBack
    }

    /// Watches this process.
    convenience init() {
        self.init(uses: { ProcessMemory.uses() }, giveBack: { ProcessMemory.giveBack() })
    }

    var level: MemoryLevel { MemoryLevel(rawValue: storedLevel.load(ordering: .relaxed)) ?? .ample }
    /// True if new requests are refused.
    var isShort: Bool { level != .ample }
    /// True if nothing is read.
    var isOut: Bool { level == .out }

    /// Notes memory that was allocated for a peer's data.
    ///
    /// - Returns: True if so much was taken that a check is due, whatever the time.
    func take(_ byteCount: Int) -> Bool {
        allowance.wrappingSubtract(byteCount, ordering: .relaxed).newValue < 0
    }

    /// Checks memory if that is due, whichever loop calls. Times are monotonic, in nanoseconds.
    ///
    /// - Parameter relieve: Frees data that is kept only to save time. Called before any request is refused.
    /// - Returns: The levels before and after the check. Nil if no check was due.
    func look(at now: Int64, relieve: () -> Void) -> MemoryChange? {
        guard isDue(at: now) else { return nil }
        return nextRelief.withLock { nextRelief in
            // Another loop may have checked while this one waited for the lock.
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

    /// Reads the worst level of all bounds, and the least memory left under any.
    private func find(after before: MemoryLevel) -> (level: MemoryLevel, left: Int) {
        let uses = uses()
        return (uses.map { $0.level(after: before) }.max() ?? .ample, uses.map(\.left).min() ?? .max)
    }
}

/// Memory levels before and after a check.
struct MemoryChange: Hashable, Sendable {
    let before: MemoryLevel
    let after: MemoryLevel
}
