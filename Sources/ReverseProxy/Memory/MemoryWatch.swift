import Synchronization

/// Whether the process has nearly all the memory that the system will give it; new requests are then refused until memory is free again.
final class MemoryWatch: Sendable {
    private let short = Atomic<Bool>(false)
    private let nextLook = Atomic<Int64>(.min)
    private let usedShare: @Sendable () -> Double?
    private let giveBack: @Sendable () -> Void

    /// Short, because what untrusted clients send in the meantime must fit into the reserve.
    private static let interval: Int64 = 250_000_000
    /// Above the first share memory is short, below the second it is not any more.
    private static let (high, low) = (0.9, 0.8)

    /// - Parameters:
    ///   - usedShare: of what there is at most, from 0 to 1; nil where nothing bounds it.
    ///   - giveBack: returns to the system what is not needed.
    init(usedShare: @escaping @Sendable () -> Double?, giveBack: @escaping @Sendable () -> Void) {
        self.usedShare = usedShare
        self.giveBack = giveBack
    }

    /// Of this process.
    convenience init() {
        self.init(usedShare: { ProcessMemory.usedShare() }, giveBack: { ProcessMemory.giveBack() })
    }

    var isShort: Bool { short.load(ordering: .relaxed) }

    /// Looks at most four times a second, whichever loop asks; true if memory has just become short. Times are monotonic, in nanoseconds.
    ///
    /// - Parameter relieve: lets go of what is kept only to save time; asked before anything is refused.
    func look(at now: Int64, relieve: () -> Void) -> Bool {
        let due = nextLook.load(ordering: .relaxed)
        guard due <= now, nextLook.compareExchange(expected: due, desired: now &+ Self.interval, ordering: .relaxed).exchanged
        else { return false }
        let was = isShort
        let bound = was ? Self.low : Self.high
        var isShort = isAbove(bound)
        if isShort {
            giveBack()
            isShort = isAbove(bound)
        }
        if isShort {
            relieve()
            giveBack()
            isShort = isAbove(bound)
        }
        short.store(isShort, ordering: .relaxed)
        return isShort && !was
    }

    private func isAbove(_ bound: Double) -> Bool { usedShare().map { $0 > bound } ?? false }
}
