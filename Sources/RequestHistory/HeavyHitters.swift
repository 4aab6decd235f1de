/// Counts of the keys that occur most often in a stream, in bounded memory (space-saving; Metwally, Agrawal, El Abbadi,
/// "Efficient computation of frequent and top-k elements in data streams", 2005).
///
/// It has ``capacity`` entries. A key without an entry replaces one with the smallest count, takes over that count, and
/// notes it as its error. So for every entry `count - error ≤ true count ≤ count`. Each key that occurred more often
/// than once in ``capacity`` times has an entry.
///
/// Keys are the same if their 64-bit hashes are. Clients do not know the secret of the hash, so they cannot make two
/// keys count as one.
///
/// Takes ``byteCount(capacity:)`` bytes, and allocates only when it is made. Adding a key costs a look-up by its hash,
/// and for a key without an entry the search for the smallest count, which goes on where the last one ended.
public struct HeavyHitters: Sendable {
    /// Longest part of a key that counts, in bytes. Keys that begin with the same bytes count as one.
    public static let longestKey = 128

    /// Size in bytes of the storage of one sketch, without the headers of its arrays.
    public static func byteCount(capacity: Int) -> Int {
        capacity * (longestKey + MemoryLayout<Entry>.stride + slotsPerEntry * MemoryLayout<UInt16>.stride)
    }

    private struct Entry: Sendable {
        var hash: UInt64 = 0
        var count: UInt64 = 0
        var error: UInt64 = 0
        /// Length of the key's text.
        var length: UInt8 = 0
    }

    /// Number of entries.
    let capacity: Int
    /// Sum of all counts.
    private(set) var total: UInt64 = 0
    private var used = 0
    private var entries: [Entry]
    /// Texts of the keys, ``longestKey`` bytes each.
    private var texts: [UInt8]
    /// Hash table with linear probing: in each slot the index of an entry plus one, or zero if it is free.
    private var slots: [UInt16]
    private static let slotsPerEntry = 4
    private let slotMask: Int
    /// No count is smaller, once all entries are used. Those of the entries before `searched` are larger.
    private var least: UInt64 = 0
    private var searched = 0

    /// - Parameter capacity: a power of two, at most 1,024. Another one is replaced by the next that is.
    init(capacity: Int) {
        var size = 1
        while size < min(capacity, 1024) { size &*= 2 }
        self.capacity = size
        entries = Array(repeating: Entry(), count: size)
        texts = Array(repeating: 0, count: size &* Self.longestKey)
        slots = Array(repeating: 0, count: size &* Self.slotsPerEntry)
        slotMask = slots.count &- 1
    }

    /// Counts a key that has an entry. False, without counting, if it has none.
    ///
    /// - Parameter hash: its hash, by the same ``KeyHash`` in the life of the sketch.
    @inline(__always)
    mutating func addKnown(_ hash: UInt64, times: UInt64 = 1) -> Bool {
        var slot = home(hash)
        while slots[slot] != 0 {
            let index = Int(slots[slot]) &- 1
            if entries[index].hash == hash {
                entries[index].count &+= times
                total &+= times
                return true
            }
            slot = (slot &+ 1) & slotMask
        }
        return false
    }

    /// Counts a key that has no entry, and gives it one: a free one, or else one with the smallest count.
    ///
    /// - Parameters:
    ///   - prefix: beginning of the key.
    ///   - rest: the rest of the key. Bytes of both together beyond ``longestKey`` do not count.
    mutating func addUnknown(_ prefix: Span<UInt8>, _ rest: Span<UInt8>, _ hash: UInt64, times: UInt64 = 1) {
        let index = used < capacity ? used : smallest()
        if index == used { used &+= 1 } else { freeSlot(of: index) }
        let error = entries[index].count
        let begin = index &* Self.longestKey
        let middle = begin &+ write(prefix, from: begin, to: begin &+ Self.longestKey)
        let end = middle &+ write(rest, from: middle, to: begin &+ Self.longestKey)
        entries[index] = Entry(
            hash: hash, count: error &+ times, error: error, length: UInt8(truncatingIfNeeded: end &- begin))
        total &+= times
        takeSlot(for: index)
    }

    /// Writes as many bytes into the texts as there is room for, and returns their number.
    private mutating func write(_ bytes: Span<UInt8>, from begin: Int, to end: Int) -> Int {
        let count = min(bytes.count, end &- begin)
        unsafe texts.withUnsafeMutableBytes { texts in
            unsafe bytes.withUnsafeBytes { bytes in
                // SAFETY: the part of an entry ends within the texts, and `count` is at most its length.
                unsafe UnsafeMutableRawBufferPointer(rebasing: texts[begin..<begin &+ count])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
        }
        return count
    }

    // MARK: The smallest count

    /// Index of an entry with the smallest count. Counts only grow, so the search goes on where the last one ended.
    private mutating func smallest() -> Int {
        while searched < capacity {
            if entries[searched].count == least { return searched }
            searched &+= 1
        }
        (least, searched) = (entries[0].count, 0)
        for index in 1..<capacity where entries[index].count < least {
            (least, searched) = (entries[index].count, index)
        }
        return searched
    }

    // MARK: The hash table

    private func home(_ hash: UInt64) -> Int { Int(truncatingIfNeeded: hash) & slotMask }

    private mutating func takeSlot(for index: Int) {
        var slot = home(entries[index].hash)
        while slots[slot] != 0 { slot = (slot &+ 1) & slotMask }
        slots[slot] = UInt16(truncatingIfNeeded: index &+ 1)
    }

    /// Frees an entry's slot. Slots behind it move up to it if they would not be found otherwise.
    private mutating func freeSlot(of index: Int) {
        var free = home(entries[index].hash)
        while Int(slots[free]) != index &+ 1 { free = (free &+ 1) & slotMask }
        var next = (free &+ 1) & slotMask
        while slots[next] != 0 {
            let home = home(entries[Int(slots[next]) &- 1].hash)
            if (next &- home) & slotMask >= (next &- free) & slotMask {
                slots[free] = slots[next]
                free = next
            }
            next = (next &+ 1) & slotMask
        }
        slots[free] = 0
    }

    // MARK: All entries

    /// Forgets all keys, and keeps the storage.
    mutating func removeAll() {
        (used, total, least, searched) = (0, 0, 0, 0)
        for index in entries.indices { entries[index].count = 0 }
        for slot in slots.indices { slots[slot] = 0 }
    }

    /// The entries as a value that can be merged with others.
    var summary: HeavyHitterSummary {
        var sums: [[UInt8]: (count: UInt64, error: UInt64)] = [:]
        for (index, entry) in entries.prefix(used).enumerated() {
            let begin = index &* Self.longestKey
            // Long keys are cut, so that several may have the same bytes.
            let key = Array(texts[begin..<begin &+ Int(entry.length)])
            let sum = sums[key] ?? (0, 0)
            sums[key] = (sum.count &+ entry.count, sum.error &+ entry.error)
        }
        let smallest = used < capacity ? 0 : entries.map(\.count).min() ?? 0
        return HeavyHitterSummary(
            sums.map { HeavyHitterSummary.Entry(key: $0.key, count: $0.value.count, error: $0.value.error) },
            unlisted: smallest, total: total, capacity: capacity)
    }
}
