/// Counts of the keys that occur most often in a stream, in bounded memory (space-saving; Metwally, Agrawal, El Abbadi,
/// "Efficient computation of frequent and top-k elements in data streams", 2005).
///
/// It has ``capacity`` entries. A key without an entry replaces the one with the smallest count, takes over that count,
/// and notes it as its error. So for every entry `count - error ≤ true count ≤ count`, and each key that occurred more
/// often than once in ``capacity`` times has an entry.
///
/// Keys are the same if their 64-bit hashes are. Clients do not know the secret of the hash, so they cannot make two
/// keys count as one.
///
/// Takes ``byteCount`` bytes, and allocates only when it is made. Adding a key that has an entry costs a look-up by its
/// hash. Adding another key scans the entries.
public struct HeavyHitters: Sendable {
    /// Number of entries.
    public static let capacity = 64
    /// Longest part of a key that counts, in bytes. Keys that begin with the same bytes count as one.
    public static let longestKey = 128
    /// Size in bytes of the storage of one sketch, without the headers of its arrays.
    public static let byteCount = capacity * (longestKey + 3 * 8 + 1) + hintCount

    /// Sum of all counts.
    private(set) var total: UInt64 = 0
    private var used = 0
    private var hashes = [UInt64](repeating: 0, count: capacity)
    private var counts = [UInt64](repeating: 0, count: capacity)
    private var errors = [UInt64](repeating: 0, count: capacity)
    private var lengths = [UInt8](repeating: 0, count: capacity)
    private var keys = [UInt8](repeating: 0, count: capacity * longestKey)
    /// Index of the entry that had such a hash last, by the low bits of the hash. May be outdated.
    private var hints = [UInt8](repeating: 0, count: hintCount)
    private static let hintCount = 256

    public init() {}

    /// Counts a key that has an entry. False, without counting, if it has none.
    ///
    /// - Parameter hash: its hash, by the same ``KeyHash`` in the life of the sketch.
    mutating func addKnown(_ hash: UInt64) -> Bool {
        let hint = Int(truncatingIfNeeded: hash) & (Self.hintCount - 1)
        let hinted = Int(hints[hint])
        guard hinted < used, hashes[hinted] == hash else { return addUnhinted(hash) }
        counts[hinted] &+= 1
        total &+= 1
        return true
    }

    @inline(never)
    private mutating func addUnhinted(_ hash: UInt64) -> Bool {
        guard let index = hashes[..<used].firstIndex(of: hash) else { return false }
        count(index)
        return true
    }

    /// Counts a key that has no entry, and gives it one.
    ///
    /// - Parameter key: bytes beyond ``longestKey`` do not count.
    mutating func addUnknown(_ key: Span<UInt8>, _ hash: UInt64) {
        count(replace(by: key, hash))
    }

    private mutating func count(_ index: Int) {
        hints[Int(truncatingIfNeeded: hashes[index]) & (Self.hintCount - 1)] = UInt8(truncatingIfNeeded: index)
        counts[index] &+= 1
        total &+= 1
    }

    /// Gives the key an entry: a free one, or else that with the smallest count.
    private mutating func replace(by key: Span<UInt8>, _ hash: UInt64) -> Int {
        let index = used < Self.capacity ? used : smallest
        if index == used { used &+= 1 }
        errors[index] = counts[index]
        hashes[index] = hash
        let length = min(key.count, Self.longestKey)
        lengths[index] = UInt8(truncatingIfNeeded: length)
        let begin = index &* Self.longestKey
        for offset in 0..<length { keys[begin &+ offset] = key[offset] }
        return index
    }

    private var smallest: Int {
        var smallest = 0
        for index in 1..<Self.capacity where counts[index] < counts[smallest] { smallest = index }
        return smallest
    }

    /// Range of an entry's key among the keys.
    private func range(_ index: Int) -> Range<Int> {
        let begin = index &* Self.longestKey
        return begin..<begin &+ Int(lengths[index])
    }

    /// Forgets all keys, and keeps the storage.
    mutating func removeAll() {
        (used, total) = (0, 0)
        for index in counts.indices { counts[index] = 0 }
    }

    /// The entries as a value that can be merged with others.
    var summary: HeavyHitterSummary {
        var sums: [[UInt8]: (count: UInt64, error: UInt64)] = [:]
        for index in 0..<used {
            // Long keys are cut, so that several may have the same bytes.
            let sum = sums[Array(keys[range(index)])] ?? (0, 0)
            sums[Array(keys[range(index)])] = (sum.count &+ counts[index], sum.error &+ errors[index])
        }
        let entries = sums.map { HeavyHitterSummary.Entry(key: $0.key, count: $0.value.count, error: $0.value.error) }
        return HeavyHitterSummary(entries, unlisted: used < Self.capacity ? 0 : counts[smallest], total: total)
    }
}
