/// One time for each caller: a table with open addressing and linear probing (Knuth, TAOCP 6.4, algorithm L).
///
/// A general dictionary hashes its keys so that nobody can choose those that collide, which costs more than all else of
/// a charge. These keys are digests under a secret already, so a part of them is the place.
struct CallerTimes: Sendable {
    private struct Slot {
        var account: QuotaAccount
        /// ``CallerTimes/free``: there is no caller here.
        var time: Int64
    }

    /// No time of a caller: a clock starts at 0.
    private static let free = Int64.min
    private static let nobody = Slot(account: QuotaAccount(quota: 0, high: 0, low: 0), time: free)
    private static let leastSlots = 16

    /// A power of two, of which a quarter at least is free, so that each search ends.
    private var slots = [Slot](repeating: nobody, count: leastSlots)
    private(set) var count = 0

    /// nil: the caller is not known.
    func time(of account: QuotaAccount) -> Int64? {
        time(at: place(of: account))
    }

    /// Changes the time of a caller, or adds one, which is nil before. None is forgotten here: nil changes nothing.
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

    /// Forgets the callers whose time does not pass.
    mutating func keep(where passes: (Int64) -> Bool) {
        rebuild(for: 0, keeping: passes)
    }

    @inline(__always)
    private func time(at place: Int) -> Int64? {
        let time = slots[place].time  // in bounds: below a power of two
        return time == Self.free ? nil : time
    }

    /// Where the caller is, or would be: below the number of slots, which is a power of two.
    @inline(__always)
    private func place(of account: QuotaAccount) -> Int {
        let mask = slots.count &- 1
        // The same caller is elsewhere under another quota.
        var place = Int(truncatingIfNeeded: account.high ^ account.quota) & mask
        while slots[place].time != Self.free, slots[place].account != account { place = (place &+ 1) & mask }
        return place
    }

    /// - Parameter least: room for so many at least.
    private mutating func rebuild(for least: Int, keeping passes: (Int64) -> Bool) {
        let kept = slots.filter { $0.time != Self.free && passes($0.time) }
        var size = Self.leastSlots
        while size < max(kept.count, least) &* 2 { size &*= 2 }
        slots = [Slot](repeating: Self.nobody, count: size)
        for slot in kept { slots[place(of: slot.account)] = slot }
        count = kept.count
    }
}
