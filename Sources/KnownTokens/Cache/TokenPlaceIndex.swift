/// Places by 32 bits of the digest: open addressing with linear probing, eight bytes a slot, at most three quarters
/// full.
///
/// The digest is keyed, so clients cannot choose tokens that share a slot, and the tags are as good as random. A slot's
/// home is its tag scaled to the table, so that enlarging the table reads and writes memory in order and needs nothing
/// but the table itself.
struct TokenPlaceIndex: ~Copyable {
    /// Tag and place of each record; zero is an empty slot.
    private var slots: [UInt64] = []
    private(set) var count = 0
    let mostSlots: Int

    private static let fewestSlots = 256
    /// A step so large that the old table, which lives until the new one is filled, is small beside it.
    static let growth = 4

    init(mostSlots: Int) {
        self.mostSlots = mostSlots
    }

    var bytes: Int { slots.count * MemoryLayout<UInt64>.stride }

    /// Whether one more fits once the table is as large as it may become.
    var hasRoom: Bool { (count + 1) * 4 <= mostSlots * 3 }

    func home(of tag: UInt32) -> Int {
        Int((UInt64(tag) * UInt64(slots.count)) >> 32)
    }

    func slot(after slot: Int) -> Int {
        slot + 1 < slots.count ? slot + 1 : 0
    }

    /// The tag and place in a slot; nil if it is empty.
    func entry(at slot: Int) -> (tag: UInt32, place: TokenPlace)? {
        guard slot < slots.count, slots[slot] != 0 else { return nil }
        return (
            UInt32(truncatingIfNeeded: slots[slot] >> 32), TokenPlace(rawValue: UInt32(truncatingIfNeeded: slots[slot]))
        )
    }

    /// The slot that holds this place; nil if none does.
    func slot(of place: TokenPlace, tag: UInt32) -> Int? {
        var slot = home(of: tag)
        while let entry = entry(at: slot) {
            if entry.place == place { return slot }
            slot = self.slot(after: slot)
        }
        return nil
    }

    mutating func setPlace(_ place: TokenPlace, at slot: Int) {
        slots[slot] = slots[slot] & ~UInt64(UInt32.max) | UInt64(place.rawValue)
    }

    /// Adds a place that is not there yet; false if the table is as full as it may be.
    mutating func insert(_ place: TokenPlace, tag: UInt32) -> Bool {
        guard hasRoom else { return false }
        if (count + 1) * 4 > slots.count * 3 { grow() }
        settle(UInt64(tag) << 32 | UInt64(place.rawValue), tag: tag)
        count += 1
        return true
    }

    /// Empties a slot and moves up what stood behind it, so that no search ends too early and no slot is left marked.
    mutating func remove(at slot: Int) {
        var hole = slot
        var next = self.slot(after: slot)
        while let entry = entry(at: next) {
            if distance(from: home(of: entry.tag), to: next) >= distance(from: hole, to: next) {
                slots[hole] = slots[next]
                hole = next
            }
            next = self.slot(after: next)
        }
        slots[hole] = 0
        count -= 1
    }

    private func distance(from start: Int, to end: Int) -> Int {
        end >= start ? end - start : end - start + slots.count
    }

    private mutating func settle(_ entry: UInt64, tag: UInt32) {
        var slot = home(of: tag)
        while slots[slot] != 0 { slot = self.slot(after: slot) }
        slots[slot] = entry
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: size(after: old.count))
        for entry in old where entry != 0 { settle(entry, tag: UInt32(truncatingIfNeeded: entry >> 32)) }
    }

    /// The next size in steps that end exactly at the last one, so that the old table is never more than a quarter of
    /// the new.
    private func size(after old: Int) -> Int {
        var size = mostSlots
        while size / Self.growth > max(old, Self.fewestSlots) { size /= Self.growth }
        return size
    }
}
