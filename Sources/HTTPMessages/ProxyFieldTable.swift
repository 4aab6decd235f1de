/// Finds a field name in `ProxyField.names` by its first four bytes, then by the rest.
///
/// Nearly no name of an ordinary request begins like one of them, so that most cost a look into one slot. A reference,
/// because every field is looked up in it.
final class ProxyFieldTable: Sendable {
    static let standard = ProxyFieldTable(ProxyField.names)
    /// What is no one's name.
    static let statements = ProxyFieldTable(ProxyField.statements)

    private struct Entry: Sendable {
        /// Where the name is in `letters` and `folded`, without the `*`.
        let start: Int
        let count: Int
        let isPrefix: Bool
    }

    /// How many bytes the key has; no name is shorter.
    private static let keyLength = 4

    /// The names in lower case, and the same with every character that is no letter or digit as a hyphen.
    private let letters: [UInt8]
    private let folded: [UInt8]
    /// Those with the same key beside each other.
    private let entries: [Entry]
    /// An open-addressed table; zero for an empty slot.
    private let keys: [UInt32]
    /// By slot: the entries with that key.
    private let ranges: [Range<Int>]

    /// - Parameter names: a `*` at the end of one covers every name that begins so.
    init(_ names: [String]) {
        var (letters, folded, entries): ([UInt8], [UInt8], [Entry]) = ([], [], [])
        var keys = [UInt32](repeating: 0, count: 256)
        var ranges = [Range<Int>](repeating: 0..<0, count: 256)
        for (key, names) in Dictionary(grouping: names, by: { Self.key(Array($0.utf8).span) }) {
            var slot = Self.slot(key)
            while keys[slot] != 0 { slot = (slot &+ 1) & 0xFF }
            keys[slot] = key
            ranges[slot] = entries.count..<entries.count &+ names.count
            for name in names {
                let isPrefix = name.hasSuffix("*")
                let bytes = Array(name.utf8.dropLast(isPrefix ? 1 : 0))
                entries.append(Entry(start: letters.count, count: bytes.count, isPrefix: isPrefix))
                letters.append(contentsOf: bytes.map(ASCII.lowercased))
                folded.append(contentsOf: bytes.map(ASCII.folded))
            }
        }
        (self.letters, self.folded, self.entries, self.keys, self.ranges) = (letters, folded, entries, keys, ranges)
    }

    /// How a name is written that is one of these; nil for any other.
    @inline(__always)
    func entry(_ name: Span<UInt8>) -> ProxyField? {
        guard name.count >= Self.keyLength else { return nil }
        let key = Self.key(name)
        var slot = Self.slot(key)
        // Not all slots are taken, so that this ends.
        while keys[slot] != key {
            guard keys[slot] != 0 else { return nil }
            slot = (slot &+ 1) & 0xFF
        }
        return entry(name, among: ranges[slot])
    }

    private func entry(_ name: Span<UInt8>, among range: Range<Int>) -> ProxyField? {
        var found: ProxyField?
        for index in range where covers(entries[index], name) {
            guard isLookAlike(name, of: entries[index]) else { return .name }
            found = .lookAlike
        }
        return found
    }

    /// Whether a name whose key is the entry's is it, or could be taken for it.
    private func covers(_ entry: Entry, _ name: Span<UInt8>) -> Bool {
        guard entry.isPrefix ? name.count >= entry.count : name.count == entry.count else { return false }
        var index = Self.keyLength
        while index < entry.count {
            guard ASCII.folded(name[index]) == folded[entry.start &+ index] else { return false }
            index &+= 1
        }
        return true
    }

    private func isLookAlike(_ name: Span<UInt8>, of entry: Entry) -> Bool {
        for index in 0..<entry.count where ASCII.lowercased(name[index]) != letters[entry.start &+ index] {
            return true
        }
        return false
    }

    /// The first bytes, folded; never zero.
    @inline(__always)
    private static func key(_ name: Span<UInt8>) -> UInt32 {
        // in bounds: whoever calls has asked for the length, and a test for that of the table's names
        let first = UInt32(ASCII.folded(name[0])) &<< 8 | UInt32(ASCII.folded(name[1]))
        return first &<< 16 | UInt32(ASCII.folded(name[2])) &<< 8 | UInt32(ASCII.folded(name[3]))
    }

    @inline(__always)
    private static func slot(_ key: UInt32) -> Int { Int((key &* 0x9E37_79B1) &>> 24) }
}
