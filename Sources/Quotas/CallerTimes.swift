/// Hash table with one time for each caller: open addressing with linear probing (Knuth, TAOCP 6.4, algorithm L).
///
/// `Dictionary` would spend most of a charge on keyed hashing, which prevents chosen collisions. The keys here are
/// already digests under a secret, so their low bits are the slot index.
struct CallerTimes: Sendable {
    private struct Slot {
        var account: QuotaAccount
        /// Time of the caller; ``CallerTimes/free`` if the slot is empty.
        var time: Int64
    }

    /// Time that marks an empty slot. No caller has it: a clock starts at 0.
    private static let free = Int64.min
    private static let nobody = Slot(account: QuotaAccount(quota: 0, high: 0, low: 0), time: free)
    private static let leastSlots = 16

    /// The slots. Their number is a power of two, and at least a quarter is free, so that every search terminates.
    private var slots = [Slot](repeating: nobody, count: leastSlots)
    private(set) var count = 0

    /// The stored time of a caller. Nil if the table does not have the caller.
    func time(of account: QuotaAccount) -> Int64? {
        time(at: place(of: account))
    }

    /// Changes the time of a caller, or adds a caller, whose time is nil before. It removes no caller: a change to nil
    /// is ignored.
    @discardableResult
    @inline(__always)
    mutating func change<Result>(_ account: QuotaAccount, _ change: (inout Int64?) -> Result) -> Result {
        var place = place(of: account)
        var time = self.time(at: place)
        let isNew = time == nil
        let result = change(&time)
        guard let time else { return result }
        if isNew {
            if (count &+ 1) &* 4 > slots.count &* 3 {
                rebuild(for: count &+ 1) { _ in true }
                place = self.place(of: account)
            }
            count &+= 1
        }
        slots[place] = Slot(account: account, time: max(time, Self.free &+ 1))  // in bounds: below a power of two
        return result
    }

    /// Removes the callers whose time does not satisfy the condition.
    mutating func keep(where passes: (Int64) -> Bool) {
        rebuild(for: 0, keeping: passes)
    }

    @inline(__always)
    private func time(at place: Int) -> Int64? {
        let time = slots[place].time  // in bounds: below a power of two
        return time == Self.free ? nil : time
    }

    /// Slot index of the caller, or of the free slot where it would go. Always below the number of slots, a power of
    /// two.
    @inline(__always)
    private func place(of account: QuotaAccount) -> Int {
        let mask = slots.count &- 1
        // The quota is mixed in, so that a caller has different slots under different quotas.
        var place = Int(truncatingIfNeeded: account.high ^ account.quota) & mask
        while slots[place].time != Self.free, slots[place].account != account { place = (place &+ 1) & mask }
        return place
    }

    /// - Parameter least: the number of callers that must fit.
    private mutating func rebuild(for least: Int, keeping passes: (Int64) -> Bool) {
        let kept = slots.filter { $0.time != Self.free && passes($0.time) }
        var size = Self.leastSlots
        while size < max(kept.count, least) &* 2 { size &*= 2 }
        slots = [Slot](repeating: Self.nobody, count: size)
        for slot in kept { slots[place(of: slot.account)] = slot }
        count = kept.count
    }
}
