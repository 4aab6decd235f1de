/// Hash table from 32 bits of a token digest to the location of its record. It uses open addressing with linear
/// probing, has eight bytes a slot, and is at most three quarters full.
///
/// The digest is keyed, so clients cannot choose tokens that collide, and its 32-bit tags are effectively random. The
/// first slot for a tag is the tag scaled to the table size. So growing the table accesses memory in order, and needs
/// nothing but the table itself.
struct TokenSlotIndex: ~Copyable {
    /// Tag and location of each record. Zero is an empty slot.
    private var slots: [UInt64] = []
    private(set) var count = 0
    let mostSlots: Int

    private static let fewestSlots = 256
    /// Growth factor. It is large so that the old table, which exists until the new one is filled, is small beside it.
    static let growth = 4

    init(mostSlots: Int) {
        self.mostSlots = mostSlots
    }

    var bytes: Int { slots.count * MemoryLayout<UInt64>.stride }

    /// True if one more entry fits, once the table has its final size.
    var hasRoom: Bool { (count + 1) * 4 <= mostSlots * 3 }

    func home(of tag: UInt32) -> Int {
        Int((UInt64(tag) * UInt64(slots.count)) >> 32)
    }

    func slot(after slot: Int) -> Int {
        slot + 1 < slots.count ? slot + 1 : 0
    }

    /// Tag and location in a slot. Nil if it is empty.
    func entry(at slot: Int) -> (tag: UInt32, place: TokenSlot)? {
        guard slot < slots.count, slots[slot] != 0 else { return nil }
        return (
            UInt32(truncatingIfNeeded: slots[slot] >> 32), TokenSlot(rawValue: UInt32(truncatingIfNeeded: slots[slot]))
        )
    }

    /// Slot that holds this location. Nil if none does.
    func slot(of place: TokenSlot, tag: UInt32) -> Int? {
        var slot = home(of: tag)
        while let entry = entry(at: slot) {
            if entry.place == place { return slot }
            slot = self.slot(after: slot)
        }
        return nil
    }

    mutating func setPlace(_ place: TokenSlot, at slot: Int) {
        slots[slot] = slots[slot] & ~UInt64(UInt32.max) | UInt64(place.rawValue)
    }

    /// Adds a location that is not in the table yet. False if the table is full.
    mutating func insert(_ place: TokenSlot, tag: UInt32) -> Bool {
        guard hasRoom else { return false }
        if (count + 1) * 4 > slots.count * 3 { grow() }
        settle(UInt64(tag) << 32 | UInt64(place.rawValue), tag: tag)
        count += 1
        return true
    }

    /// Empties a slot and moves later entries of its run up, so that searches still find them and no tombstone is
    /// needed.
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

    /// Next size of the table. The steps end exactly at the final size, so the old table is never more than a quarter
    /// of the new.
    private func size(after old: Int) -> Int {
        var size = mostSlots
        while size / Self.growth > max(old, Self.fewestSlots) { size /= Self.growth }
        return size
    }
}
